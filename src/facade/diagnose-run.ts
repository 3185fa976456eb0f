/** `axle.diagnose`: reads a run, and the runs like it, and says what probably went wrong. */
import { diagnose, type Diagnosis, inOrder } from '../diagnose/diagnose.ts';
import { unstableResults } from '../diagnose/unstable-results.ts';
import { unknownRun } from '../journal/checks.ts';
import type { Append } from '../journal/entry.ts';
import { wholeJournal } from '../journal/read-appends.ts';
import type { Store } from '../journal/store.ts';
import { canonicalJson } from '../util/json.ts';

/** Runs of the same agent that are looked at for the same input, newest first. */
const maxSearched = 200;
/** Runs of the same input that are compared. */
const maxCompared = 20;

/**
 * What probably went wrong in a run, most likely first, from the journal alone; runs of the same agent with the same input are compared with it.
 * @throws AxleError `run-unknown`
 */
export async function diagnoseRun(store: Store, runId: string): Promise<Diagnosis> {
  const summary = await store.run(runId);
  if (summary === undefined) throw unknownRun(runId);
  const appends = await wholeJournal(store, runId);
  const own = diagnose(appends);
  if (summary.status.state !== 'ended') return own;
  const asked = inputOf(appends);
  const alike = [appends];
  for (const other of await store.runs({ subject: summary.subject, states: ['ended'], limit: maxSearched })) {
    if (alike.length >= maxCompared) break;
    if (other.runId === runId || inputOf(await store.read(other.runId, { limit: 1 })) !== asked) continue;
    alike.push(await wholeJournal(store, other.runId));
  }
  return { ...own, faults: inOrder([...own.faults, ...unstableResults(alike)]) };
}

/** What a run was asked, as text that is equal for equal questions. */
function inputOf(appends: readonly Append[]): string | undefined {
  const first = appends[0]?.entries[0];
  return first?.type === 'run-accepted' && first.task.kind !== 'undo'
    ? `${first.task.kind} ${canonicalJson(first.task.input)}`
    : undefined;
}
