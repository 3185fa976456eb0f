/**
 * Fork: another run that begins with the steps of a run as its own history, and goes on with something changed. (O4)
 *
 *   the run    1 ── 2 ── 3 ── 4 ── 5 ── answer
 *                             │
 *   its fork at step 4        └─► 4' ── 5' ── ...     history: steps 1 to 3 · recorded: what side effects of 4 and 5 came to
 *
 * K1 A side effect of the run is not performed again: the same call (tool, version, arguments) in the fork is answered by what became of it, once for each time that it
 *    was made. One without a recorded result is performed only where a person allowed its tool, and after policy. (L2)
 * K2 A fork is a run like any other: it has its own id, so its own idempotency keys, and everything that it goes on from is in its first entry. It needs the other run no
 *    more, and survives whatever a run survives.
 * K3 What a person refused, and what may have happened, counts in the fork too, also what was begun after the step and has no outcome yet. (L8)
 * K4 Reads are performed anew, except those whose result was changed.
 */
import { AxleError } from '../error/axle-error.ts';
import { valueAt } from '../contract/pointer.ts';
import { unknownRun } from '../journal/checks.ts';
import type { Entry, RunTask } from '../journal/entry.ts';
import type { ForkChange, RecordedResult, RunFork } from '../journal/fork-entries.ts';
import { readAppends } from '../journal/read-appends.ts';
import type { Store } from '../journal/store.ts';
import type { TranscriptItem } from '../call/message.ts';
import { agentHashOf } from '../run/agent-hash.ts';
import { evolve, passTime } from '../run/evolve.ts';
import { maxRemembered, newState, type RunState } from '../run/state.ts';
import { defined } from '../util/defined.ts';
import type { JsonValue } from '../util/json.ts';
import { RecordedCalls, type SettledCall } from './recorded-calls.ts';

type AgentTask = Extract<RunTask, { kind: 'agent' }>;

/** What is to be another than in the run. */
export interface ForkRequest {
  /** The first step that is made anew. */
  readonly at: number;
  readonly instructions?: string;
  /** In the place of what the run was asked. */
  readonly input?: string;
  /** The model that answers from here on: the name that it has here, and its own id. */
  readonly model?: { readonly name: string; readonly id: string };
  /** Other outputs of calls of the run, by their ids. */
  readonly results?: Readonly<Record<string, JsonValue>>;
  /** Tools whose side effects may be performed where no result is recorded. */
  readonly live?: readonly string[];
}

/** What a fork is accepted with. */
export interface Fork {
  readonly task: AgentTask;
  readonly fork: RunFork;
  readonly session: string | undefined;
  /** Values of context keys, as they were at the step. */
  readonly context?: ContextValues;
}

type ContextValues = Readonly<Record<string, { readonly value: JsonValue; readonly version: number }>>;
type Results = ReadonlyMap<string, JsonValue>;

/**
 * What the fork of a run begins with.
 * @throws AxleError `run-unknown`; `usage-invalid` for a run without a model, a step that it has not begun, a tool that it does not have, or a call that it did not make
 */
export async function forkOf(store: Store, runId: string, request: ForkRequest): Promise<Fork> {
  const { before, settled, unsettled, left } = await split(store, runId, request.at);
  const { task } = before;
  if (task?.kind !== 'agent') throw notForked(`Run ${runId} has no model that could go on otherwise.`);
  const { at, input, live = [] } = request;
  const results: Results = new Map(Object.entries(request.results ?? {}));
  const items = before.transcript.items();
  const known = new Set([...callsIn(items), ...settled.map(({ callId }) => callId)]);
  const stranger = [...results.keys()].find((callId) => !known.has(callId));
  if (stranger !== undefined) {
    throw notForked(`Run ${runId} made no call ${stranger} whose result could be another one.`);
  }
  const unknown = live.find((tool) => !before.contracts.some(({ name }) => name === tool));
  if (unknown !== undefined) throw notForked(`Run ${runId} has no tool ${unknown} that could be live.`);
  const history = items.map((item) => withResults(item, results));
  const { tools } = before.context;
  const { seq, denied, suspect, found, invalidCalls } = before;
  return {
    task: changedTask(task, before, request),
    session: before.session,
    ...defined({ context: contextOf(before, results) }),
    fork: {
      of: runId,
      step: at,
      seq,
      changed: changesOf(request),
      history: input === undefined ? history : askedOtherwise(history, input),
      live,
      recorded: [...settled.flatMap((call) => recordedOf(call, results)), ...left],
      denied,
      suspect: [...new Set([...suspect, ...unsettled])].slice(-maxRemembered),
      found,
      ...defined({ tools, invalidCalls }),
    },
  };
}

function notForked(message: string): AxleError {
  return new AxleError('usage-invalid', message);
}

interface Split {
  /** The state before the step was begun. */
  readonly before: RunState;
  /** Calls that were settled after it. */
  readonly settled: readonly SettledCall[];
  /** Arguments of side effects that were begun after it and have no outcome: they may have happened. */
  readonly unsettled: readonly string[];
  /** Of a run that is a fork itself: results of the run before that have answered no call yet. */
  readonly left: readonly RecordedResult[];
}

/** Folds the run to the step, and on to its end for what became of later calls. */
async function split(store: Store, runId: string, at: number): Promise<Split> {
  if ((await store.run(runId)) === undefined) throw unknownRun(runId);
  let state = newState(runId);
  let before: RunState | undefined;
  let firstStep = 1;
  const calls = new RecordedCalls();
  for await (const append of readAppends(store, runId)) {
    state = passTime(state, append);
    for (const entry of append.entries) {
      if (before === undefined && beginsStep(entry, at)) before = state;
      if (entry.type === 'run-accepted') firstStep = entry.fork?.step ?? 1;
      const open = state;
      state = evolve(state, entry);
      if (before !== undefined) calls.take(open, state);
    }
  }
  const { fork } = state;
  if (before !== undefined) {
    return {
      before,
      settled: calls.settled,
      unsettled: calls.unsettledIn(state),
      left: fork === undefined ? [] : fork.recorded.map((each) => named(each, fork.of)),
    };
  }
  throw notForked(
    at < firstStep && fork !== undefined
      ? `The steps before ${firstStep} of run ${runId} are those of run ${fork.of}: fork that one.`
      : `Run ${runId} has begun ${state.step} steps, and none with the number ${at}.`,
  );
}

function beginsStep(entry: Entry, step: number): boolean {
  return entry.type === 'model-started' && entry.step === step;
}

/** Under a name that no call of the run between has. */
function named(result: RecordedResult, of: string): RecordedResult {
  return result.callId.includes('/') ? result : { ...result, callId: `${of}/${result.callId}` };
}

/** Side effects, and whatever is to have had another result. What a cancellation kept from happening is no result. */
function recordedOf({ isEffect, ...recorded }: SettledCall, results: Results): readonly RecordedResult[] {
  const output = results.get(recorded.callId);
  if (output !== undefined) return [{ ...recorded, outcome: { status: 'succeeded', output } }];
  return isEffect && recorded.outcome.status !== 'cancelled' ? [recorded] : [];
}

function callsIn(items: readonly TranscriptItem[]): readonly string[] {
  return items.flatMap((item) => (item.kind === 'results' ? item.results.map(({ callId }) => callId) : []));
}

function withResults(item: TranscriptItem, results: Results): TranscriptItem {
  if (item.kind !== 'results' || !item.results.some(({ callId }) => results.has(callId))) return item;
  return {
    kind: 'results',
    results: item.results.map((result) => {
      const output = results.get(result.callId);
      return output === undefined ? result : { ...result, outcome: { status: 'succeeded', output } };
    }),
  };
}

function askedOtherwise(history: readonly TranscriptItem[], text: string): readonly TranscriptItem[] {
  const first = history.findIndex(({ kind }) => kind === 'user');
  return history.map((item, index) => (index === first ? { kind: 'user', text } : item));
}

/** A key whose call is to have had another result has another value, or none. */
function contextOf({ bus, contracts }: RunState, results: Results): ContextValues | undefined {
  if (bus === undefined) return undefined;
  const values = Object.entries(bus.values).flatMap(([key, { value, version, by, tool }]) => {
    const output = results.get(by);
    if (output === undefined) return [[key, { value, version }] as const];
    const pin = contracts.find(({ name }) => name === tool);
    const publication = pin?.terms.publishes?.find((each) => each.key === key);
    const changed = publication === undefined ? undefined : valueAt(output, publication.at);
    return changed === undefined ? [] : [[key, { value: changed, version }] as const];
  });
  return Object.fromEntries(values);
}

function changedTask(task: AgentTask, { contracts }: RunState, request: ForkRequest): AgentTask {
  const { hash: _, ...agent } = task.agent;
  const { model, instructions = agent.instructions, input = task.input } = request;
  const changed = {
    ...agent,
    instructions,
    ...(model === undefined ? {} : { model: model.id, modelName: model.name }),
  };
  return { ...task, input, contracts, agent: { ...changed, hash: agentHashOf(changed, contracts) } };
}

function changesOf({ model, instructions, input, results = {} }: ForkRequest): readonly ForkChange[] {
  return [
    ...(model === undefined ? [] : (['model'] as const)),
    ...(instructions === undefined ? [] : (['instructions'] as const)),
    ...(input === undefined ? [] : (['input'] as const)),
    ...(Object.keys(results).length === 0 ? [] : (['results'] as const)),
  ];
}
