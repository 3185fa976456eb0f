/** Whether a run was the recorded one: its conversation from the journal, its effects from the ledger. */
import type { Store } from '../../../src/journal/store.ts';
import { defaultPolicy } from '../../../src/policy/default-policy.ts';
import { replayRun } from '../../../src/replay/replay-run.ts';
import { loadRun } from '../../../src/run/load-run.ts';
import { canonicalJson, toJson } from '../../../src/util/json.ts';
import type { AirlineDesk } from './desk.ts';
import { deskTools } from './desk-tools.ts';
import { firstDifference, inputsOf, stepsOf } from './recorded-steps.ts';

/** How a doubt was settled. */
export interface Doubts {
  readonly byVerify: number;
  readonly byPerson: number;
  /** Of both: how many had happened. */
  readonly happened: number;
}

export interface Verdict {
  /** What is not as it was recorded, in words. None: the run is equal. */
  readonly problems: readonly string[];
  readonly duplicates: number;
  readonly repeatedReads: number;
  readonly doubts: Doubts;
}

/** Judges the run of a desk's recording. */
export async function judge(store: Store, desk: AirlineDesk): Promise<Verdict> {
  const [summary, ...others] = await store.runs();
  const problems = others.length === 0 ? [] : [`there are ${others.length + 1} runs`];
  const entries = summary === undefined ? [] : (await store.read(summary.runId)).flatMap((append) => append.entries);
  const resolutions = entries.filter((entry) => entry.type === 'call-resolved');
  const repaired = entries.filter((entry) => entry.type === 'call-bound' && entry.call.repairs !== undefined);
  if (repaired.length > 0) problems.push(`the arguments of ${repaired.length} calls were repaired`);
  problems.push(...(await differencesOfRun(store, desk, summary?.runId ?? '')), ...differencesOfEffects(desk));
  problems.push(...(await differencesOfReplay(store, desk, summary?.runId ?? '')));
  return {
    problems,
    duplicates: desk.duplicates,
    repeatedReads: desk.repeatedReads,
    doubts: {
      byVerify: resolutions.filter(({ by }) => by === 'verify').length,
      byPerson: resolutions.filter(({ by }) => by === 'person').length,
      happened: resolutions.filter(({ verdict }) => verdict.kind === 'happened').length,
    },
  };
}

/** The run is decided again, with no model and no tool. */
async function differencesOfReplay(store: Store, desk: AirlineDesk, runId: string): Promise<readonly string[]> {
  const tools = deskTools(desk);
  const { difference, unchecked } = await replayRun(
    runId,
    {},
    {
      store,
      contract: (wanted) => tools.find(({ name }) => name === wanted),
      retained: () => undefined,
      policy: defaultPolicy,
    },
  );
  const found = difference === undefined ? [] : [`the replay differs: ${JSON.stringify(difference)}`];
  return [...found, ...unchecked.map(({ seq, reason }) => `entry ${seq} could not be replayed: ${reason}`)];
}

async function differencesOfRun(store: Store, { recording }: AirlineDesk, runId: string): Promise<readonly string[]> {
  const state = (await loadRun(store, runId))?.state;
  if (state === undefined) return ['there is no run'];
  const items = state.transcript.items();
  const conversation = firstDifference(stepsOf(items), recording.steps);
  const problems = conversation === undefined ? [] : [`the conversation differs: ${conversation}`];
  for (const { toolCallId, input } of inputsOf(items)) {
    const recorded = recording.calls.find(({ id }) => id === toolCallId)?.input;
    const isEqual = recorded !== undefined && canonicalJson(recorded) === canonicalJson(input);
    if (!isEqual) problems.push(`the input of ${toolCallId} differs`);
  }
  const ending = `${state.ending?.kind} ${state.ending?.failure?.code}`;
  const isAtTheEnd = ending === 'stopped run-steps-exhausted';
  if (!isAtTheEnd) problems.push(`the run ended as "${ending}" and not where the recording ends`);
  return problems;
}

function differencesOfEffects(desk: AirlineDesk): readonly string[] {
  const { recording, tables } = desk;
  const { toolCalls, successfulWrites, changedKeys, differenceHash } = recording.expected;
  const problems = [...desk.faults];
  const compare = (what: string, found: unknown, wanted: unknown): void => {
    const [theirs, ours] = [canonicalJson(toJson(found)), canonicalJson(toJson(wanted))];
    if (theirs !== ours) problems.push(`${what}: found ${theirs}, recorded ${ours}`);
  };
  compare('calls carried out', desk.performedIds.length, toolCalls);
  compare(
    'order of the calls',
    desk.performedIds,
    recording.calls.map(({ id }) => id),
  );
  compare('writes', desk.successfulWrites, successfulWrites);
  compare('changed records', sorted(tables.changedKeys), sorted(changedKeys));
  compare('hash of the difference', tables.differenceHash, differenceHash);
  compare('effects carried out again', desk.duplicates, 0);
  return problems;
}

function sorted(keys: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(keys).map(([table, list]) => [table, list.toSorted()]));
}
