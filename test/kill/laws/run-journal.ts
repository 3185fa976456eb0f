/** A run as the judge sees it: every append of its journal, and the state that recovery would start from. */
import type { Append, Entry } from '../../../src/journal/entry.ts';
import type { RunSummary, Store } from '../../../src/journal/store.ts';
import { loadRun } from '../../../src/run/load-run.ts';
import type { RunState } from '../../../src/run/state.ts';

export interface RunJournal {
  readonly summary: RunSummary;
  readonly appends: readonly Append[];
  /** As `loadRun` gives it: from the last snapshot on, where there is one. */
  readonly state: RunState;
  readonly hasSnapshot: boolean;
}

const pageSize = 1_000;

/** Reads every run of a store. */
export async function readJournals(store: Store): Promise<readonly RunJournal[]> {
  const journals: RunJournal[] = [];
  let page: readonly RunSummary[] = [];
  do {
    const last = page.at(-1);
    page = await store.runs({ limit: pageSize, ...(last === undefined ? {} : { beforeRunId: last.runId }) });
    for (const summary of page) journals.push(await readJournal(store, summary));
  } while (page.length === pageSize);
  return journals;
}

async function readJournal(store: Store, summary: RunSummary): Promise<RunJournal> {
  const { runId } = summary;
  const appends: Append[] = [];
  let page: readonly Append[] = [];
  do {
    const last = page.at(-1);
    page = await store.read(runId, {
      limit: pageSize,
      ...(last === undefined ? {} : { afterSeq: last.firstSeq + last.entries.length - 1 }),
    });
    appends.push(...page);
  } while (page.length === pageSize);
  const loaded = await loadRun(store, runId);
  if (loaded === undefined) throw new Error(`The run ${runId} is listed and has no journal.`);
  return { summary, appends, state: loaded.state, hasSnapshot: (await store.snapshot(runId)) !== undefined };
}

export function entriesOf({ appends }: RunJournal): readonly Entry[] {
  return appends.flatMap((append) => append.entries);
}

/** Entries of one type, in order. */
export function entriesOfType<T extends Entry['type']>(
  journal: RunJournal,
  type: T,
): readonly Extract<Entry, { type: T }>[] {
  return entriesOf(journal).filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);
}
