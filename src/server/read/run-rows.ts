/**
 * Runs as lists show them. What a list needs beyond the store's own summary is counted from the journal once, and then only from what is new in it.
 */
import { type Append, type Entry, lastSeqOf } from '../../journal/entry.ts';
import type { RunSummary, Store } from '../../journal/store.ts';
import type { JsonValue } from '../../util/json.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import type { RunCounters, RunRow, RunRowTotals } from '../wire.ts';

/** Runs whose counts are kept. */
const maxKept = 5_000;
/** Appends of one read. */
const pageSize = 500;
/** Appends that one list reads at most before it leaves totals out. */
const listBudget = 2_000;
/** Runs that are looked through for counters. */
const maxCounted = 1_000;
const dayMs = 86_400_000;
const maxGoalChars = 200;

interface Counted {
  readonly seq: number;
  readonly goal: string | undefined;
  readonly totals: RunRowTotals;
}

const nothing: Counted = {
  seq: 0,
  goal: undefined,
  totals: {
    modelCalls: 0,
    toolCalls: 0,
    attempts: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedInputTokens: 0,
    errors: 0,
    approvals: 0,
    doubts: 0,
  },
};

export class RunRows {
  readonly #store: Store;
  readonly #kept = new BoundedMap<string, Counted>(maxKept);

  constructor(store: Store) {
    this.#store = store;
  }

  /** A run with all its totals. */
  async row(summary: RunSummary): Promise<RunRow> {
    return rowOf(summary, await this.#counted(summary, { appends: Infinity }));
  }

  /** Runs of a list: totals are left out once too much would have to be read for them. */
  async list(summaries: readonly RunSummary[]): Promise<readonly RunRow[]> {
    const budget = { appends: listBudget };
    const rows: RunRow[] = [];
    for (const summary of summaries) rows.push(rowOf(summary, await this.#counted(summary, budget)));
    return rows;
  }

  async goalOf(summary: RunSummary): Promise<string | undefined> {
    return (await this.#counted(summary, { appends: 1 })).goal;
  }

  /** Where the runs of the store stand. */
  async counters(nowMs: number): Promise<RunCounters> {
    const open = await this.#store.runs({ states: ['active', 'waiting', 'held'], limit: maxCounted });
    const ended = await this.#store.runs({ states: ['ended'], limit: maxCounted });
    const having = (kind: 'approval' | 'authorization' | 'doubt'): number =>
      open.filter(({ status }) => status.waitingOn.some((reason) => reason.kind === kind)).length;
    const inState = (state: RunSummary['status']['state']): number =>
      open.filter(({ status }) => status.state === state).length;
    return {
      active: inState('active'),
      waiting: inState('waiting'),
      held: inState('held'),
      askingApproval: having('approval'),
      askingAuthorization: having('authorization'),
      inDoubt: having('doubt'),
      failedLastDay: ended.filter(
        ({ status, updatedAtMs }) =>
          (status.ending === 'failed' || status.ending === 'stopped') && updatedAtMs > nowMs - dayMs,
      ).length,
      isComplete:
        open.length < maxCounted && (ended.length < maxCounted || (ended.at(-1)?.createdAtMs ?? 0) < nowMs - dayMs),
    };
  }

  /** Counts on from what is known, as far as the budget reaches. */
  async #counted({ runId, seq }: RunSummary, budget: { appends: number }): Promise<Counted> {
    let counted = this.#kept.get(runId) ?? nothing;
    while (counted.seq < seq && budget.appends > 0) {
      const limit = Math.min(pageSize, budget.appends);
      const appends = await this.#store.read(runId, { afterSeq: counted.seq, limit, bodies: 'reference' });
      if (appends.length === 0) break;
      budget.appends -= appends.length;
      for (const append of appends) counted = countAppend(counted, append);
      this.#kept.set(runId, counted);
    }
    return counted;
  }
}

function rowOf(summary: RunSummary, { seq, goal, totals }: Counted): RunRow {
  const { status, ...run } = summary;
  const { state, waitingOn, steps, ending, wakeAtMs } = status;
  return {
    ...run,
    state,
    waitingOn,
    steps,
    ...(ending === undefined ? {} : { ending }),
    ...(wakeAtMs === undefined ? {} : { wakeAtMs }),
    ...(goal === undefined ? {} : { goal }),
    ...(seq < summary.seq ? {} : { totals }),
  };
}

/** Counting goes from append to append, so none is met in its middle. */
function countAppend(before: Counted, append: Append): Counted {
  const totals = { ...before.totals };
  let { goal } = before;
  for (const entry of append.entries) {
    countEntry(totals, entry);
    if (entry.type === 'run-accepted' && entry.task.kind !== 'undo') goal = goalIn(entry.task.input);
  }
  return { seq: lastSeqOf(append), goal, totals };
}

type Counting = { -readonly [Field in keyof RunRowTotals]: RunRowTotals[Field] };

function countEntry(totals: Counting, entry: Entry): void {
  switch (entry.type) {
    case 'model-started':
      totals.modelCalls += 1;
      break;
    case 'model-finished':
      totals.inputTokens += entry.usage.inputTokens ?? 0;
      totals.outputTokens += entry.usage.outputTokens ?? 0;
      totals.cachedInputTokens += entry.usage.cachedInputTokens ?? 0;
      break;
    case 'model-failed':
      totals.errors += 1;
      break;
    case 'call-bound':
      totals.toolCalls += 1;
      break;
    case 'attempt-started':
      totals.attempts += 1;
      break;
    case 'call-decided':
      if (entry.approval !== undefined) totals.approvals += 1;
      break;
    case 'call-doubted':
      totals.doubts += 1;
      break;
    case 'call-settled':
      if (entry.status === 'failed') totals.errors += 1;
      break;
    default:
  }
}

/** The first line of what was asked. */
function goalIn(input: JsonValue): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return line.slice(0, maxGoalChars).toWellFormed();
}
