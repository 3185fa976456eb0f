/**
 * `axle.undo`: takes back what a run did, in a run of its own.
 *
 * N1 The undo runs of a run are numbered, and the number is in the request key: two callers who begin at once begin the same one, or one of them is refused.
 * N2 A call is taken back by one undo run only: what an earlier one took back, or may have, is no step of a later one.
 */
import { problemChoices, type UndoStep } from '../call/undo.ts';
import type { Contract } from '../contract/contract.ts';
import { type Fields, flag, oneOf, refuseUnknown, texts } from '../contract/declare/fields.ts';
import { AxleError } from '../error/axle-error.ts';
import { unknownRun } from '../journal/checks.ts';
import type { RunTask } from '../journal/entry.ts';
import { maxListedRuns } from '../journal/limits.ts';
import type { RunSummary, Store } from '../journal/store.ts';
import { defaultApprovalTtlMs } from '../policy/default-policy.ts';
import { loadRun } from '../run/load-run.ts';
import { type FoundStep, undoSteps } from '../run/undo-steps.ts';
import type { TakenBack } from '../trace/undone.ts';
import { isJsonObject, isRecord, type JsonValue } from '../util/json.ts';
import type { RunHandle } from './run-handle.ts';

export interface UndoOptions {
  /** Only these calls of the run, by their ids (`3.0`). @defaultValue all that had an effect */
  readonly calls?: readonly string[];
  /** What a call that cannot be taken back, or whose undo fails, does to those before it. @defaultValue 'stop' */
  readonly onProblem?: 'stop' | 'skip';
  /** Cancels the run first when it has not ended. @defaultValue false */
  readonly cancel?: boolean;
  /** Begins another undo run for what an earlier one, which has ended, has not taken back. @defaultValue false: the earlier one is given */
  readonly again?: boolean;
}

export interface UndoPorts {
  readonly store: Store;
  readonly contract: (name: string, version: number) => Contract | undefined;
  readonly run: (runId: string) => RunHandle;
  readonly accept: (task: RunTask, key: string) => Promise<RunHandle>;
}

/** @throws AxleError `run-unknown`, `run-not-ended`, `undo-under-way`, `usage-invalid`, `run-key-reused` */
export async function undoRun(runId: string, options: UndoOptions, ports: UndoPorts): Promise<RunHandle> {
  assertUndoOptions(options);
  const summary = await ended(runId, options, ports);
  if (summary.kind === 'undo') throw new AxleError('usage-invalid', `Run ${runId} is an undo, which is not undone.`);
  const earlier = await undoRunsOf(ports.store, runId);
  const [last] = earlier;
  const found = await undoSteps(ports.store, runId, ports.contract);
  assertCalls(runId, found, options.calls);
  if (last !== undefined && options.again !== true && (await asksFor(ports.store, last, options))) {
    // Who began it may not have heard of it: it was there to be read, and may not be on the disk yet. (L7)
    await ports.store.synced();
    return ports.run(last.runId);
  }
  const open = earlier.find(({ status }) => status.state !== 'ended');
  if (open !== undefined) {
    throw new AxleError('undo-under-way', `Run ${open.runId} is taking back run ${runId} and has not ended.`);
  }
  const before = await takenBefore(ports.store, earlier);
  const wanted = found.filter(({ step }) => options.calls === undefined || options.calls.includes(step.callId));
  return ports.accept(taskOf(runId, { found: wanted, before, options }), `undo:${runId}:${earlier.length + 1}`);
}

function assertUndoOptions(options: UndoOptions): void {
  const values: unknown = options;
  if (!isRecord(values)) throw new AxleError('usage-invalid', 'undo takes an object with its options.');
  const fields: Fields = { owner: 'undo', values, code: 'usage-invalid' };
  refuseUnknown(fields, ['calls', 'onProblem', 'cancel', 'again']);
  if (values['calls'] !== undefined) texts(fields, 'calls', 10_000);
  oneOf(fields, 'onProblem', problemChoices);
  for (const name of ['cancel', 'again']) flag(fields, name);
}

/** What the undo runs of a run took back, for whoever shows the run. */
export async function takenBackFrom(store: Store, runId: string): Promise<readonly TakenBack[]> {
  const taken: TakenBack[] = [];
  for (const undo of await undoRunsOf(store, runId)) {
    const output = (await loadRun(store, undo.runId))?.state.ending?.output ?? null;
    taken.push({ runId: undo.runId, callIds: calledIn(output, 'undone').map(({ callId }) => callId) });
  }
  return taken;
}

/** The undo runs of a run, newest first. */
async function undoRunsOf(store: Store, runId: string): Promise<readonly RunSummary[]> {
  const runs = await store.runs({ subject: runId, limit: maxListedRuns });
  return runs.filter(({ kind }) => kind === 'undo');
}

async function ended(runId: string, options: UndoOptions, { store, run }: UndoPorts): Promise<RunSummary> {
  const summary = await store.run(runId);
  if (summary === undefined) throw unknownRun(runId);
  // Two stores that took the same run back would do it twice.
  if (summary.isCopy === true) {
    throw new AxleError(
      'usage-invalid',
      `Run ${runId} is a copy out of a run file, which only its own store takes back.`,
    );
  }
  if (summary.status.state === 'ended') return summary;
  if (options.cancel !== true) {
    throw new AxleError(
      'run-not-ended',
      `Run ${runId} has not ended (${summary.status.state}), so it may still do something.`,
    );
  }
  await run(runId).cancel('It is to be taken back.');
  const rest = await run(runId).result();
  if (rest.status !== 'waiting') return (await store.run(runId)) ?? summary;
  const [reason] = rest.on;
  throw new AxleError(
    'run-not-ended',
    `Run ${runId} was cancelled and waits for something all the same: ${reason?.kind ?? 'a driver'}.`,
  );
}

function assertCalls(runId: string, found: readonly FoundStep[], calls: readonly string[] | undefined): void {
  const stranger = calls?.find((callId) => !found.some(({ step }) => step.callId === callId));
  if (stranger === undefined) return;
  const known = found.map(({ step }) => step.callId).join(', ');
  throw new AxleError(
    'usage-invalid',
    `Call ${stranger} of run ${runId} had no effect that could be taken back; those that had are ${known === '' ? 'none' : known}.`,
  );
}

/** True when an undo run was asked for the same calls: asked twice it is the same. */
async function asksFor(store: Store, { runId }: RunSummary, { calls }: UndoOptions): Promise<boolean> {
  const task = (await loadRun(store, runId))?.state.task;
  if (task?.kind !== 'undo') return false;
  const asked = task.only?.toSorted() ?? [];
  return (calls === undefined) === (task.only === undefined) && asked.join(' ') === (calls?.toSorted() ?? []).join(' ');
}

/** The calls that earlier undo runs took back, or may have. */
async function takenBefore(
  store: Store,
  earlier: readonly RunSummary[],
): Promise<{ readonly undone: ReadonlySet<string>; readonly unsure: ReadonlySet<string> }> {
  const undone = new Set<string>();
  const unsure = new Set<string>();
  for (const { runId } of earlier) {
    const output = (await loadRun(store, runId))?.state.ending?.output ?? null;
    for (const { callId } of calledIn(output, 'undone')) undone.add(callId);
    for (const { callId, mayHaveHappened } of calledIn(output, 'failed')) if (mayHaveHappened) unsure.add(callId);
  }
  return { undone, unsure };
}

/** The calls that the result of an undo run names under a heading. */
function calledIn(
  output: JsonValue,
  heading: 'undone' | 'failed',
): readonly { readonly callId: string; readonly mayHaveHappened: boolean }[] {
  const list = isJsonObject(output) ? output[heading] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: JsonValue) => {
    const callId = isJsonObject(item) ? item['callId'] : undefined;
    if (typeof callId !== 'string') return [];
    return [{ callId, mayHaveHappened: isJsonObject(item) && item['mayHaveHappened'] === true }];
  });
}

function taskOf(
  runId: string,
  {
    found,
    before,
    options,
  }: {
    readonly found: readonly FoundStep[];
    readonly before: Awaited<ReturnType<typeof takenBefore>>;
    readonly options: UndoOptions;
  },
): RunTask {
  const contracts = new Map<string, Contract>();
  const steps = found
    .filter(({ step }) => !before.undone.has(step.callId))
    .map(({ step, undo }): UndoStep => {
      const { callId, tool } = step;
      if (before.unsure.has(callId)) return { kind: 'unable', callId, tool, reason: 'undo-may-have-happened' };
      if (undo === undefined) return step;
      const known = contracts.get(undo.name) ?? undo;
      // A run pins one version of a name: the one that the last call was made with.
      if (known.version !== undo.version) return { kind: 'unable', callId, tool, reason: 'tool-missing' };
      contracts.set(undo.name, undo);
      return step;
    });
  return {
    kind: 'undo',
    of: runId,
    ...(options.calls === undefined ? {} : { only: options.calls }),
    steps,
    onProblem: options.onProblem ?? 'stop',
    contracts: [...contracts.values()].map(({ pin }) => pin),
    approvalTtlMs: defaultApprovalTtlMs,
  };
}
