/**
 * The part of a run that touches the world: one attempt, one verification, one model call. Each ends in exactly one entry, or in none when the driver leaves.
 *
 * W4 No side effect begins before everything recorded so far is synced, and none begins after an abort. (L3, R2, R30)
 * W5 A result that nobody waits for any more is handed in as evidence. (R14)
 * W7 No attempt begins when the time that it may take has passed since it was announced. (R12)
 */
import { failureOf } from '../call/failure.ts';
import type { AttemptResult, Failure } from '../call/outcome.ts';
import { askBrain } from '../brain/ask-brain.ts';
import type { BrainDelta } from '../brain/brain.ts';
import { readAnswer } from '../brain/read-answer.ts';
import type { Contract } from '../contract/contract.ts';
import { AxleError, messageOf } from '../error/axle-error.ts';
import { type AttemptOptions, performAttempt, performVerify } from '../execute/attempt.ts';
import { concealIn } from '../execute/aliases/conceal-in.ts';
import { programBody } from '../execute/sandbox/program-body.ts';
import type { AttemptFinished, Entry } from '../journal/entry.ts';
import type { Position } from '../journal/store.ts';
import type { Abort } from '../util/abort.ts';
import { type JsonValue, toJson } from '../util/json.ts';
import { type AttemptEnd, endOf } from '../execute/upstreams/upstreams.ts';
import type { Admissions } from './admissions.ts';
import { needsAdmission } from './admitted.ts';
import { backOffMs, modelBackOff } from './back-off.ts';
import { type CallWork, maxVerifyRounds } from './call-machine.ts';
import type { Engine, LiveEvent } from './engine.ts';
import { handInEvidence } from './evidence.ts';
import { keyOfAttempt } from './idempotency-key.ts';
import { isToolListKept, keepToolList } from './keep-tool-list.ts';
import type { KeptResults } from './kept-result.ts';
import type { Work } from './next.ts';
import { noteDrift } from './note-drift.ts';
import type { RunCode } from './run-code.ts';
import { shownView } from './shown-items.ts';
import { findCall, type RunState } from './state.ts';

/** What all work of one driver has in common. */
export interface SharedContext {
  readonly engine: Engine;
  /** The permits and locks of the driver. */
  readonly admissions: Admissions;
  /** Results of reads that are kept. */
  readonly kept: KeptResults;
  /** What the brain's adapter keeps of the run. */
  readonly brainMemory: Map<object, unknown>;
  /** True once the driver has let go of the run: results can no longer become entries. */
  readonly isOver: () => boolean;
  /** True when an abort means that the driver leaves, not that the run is cancelled. */
  readonly isLeaving: () => boolean;
}

export interface WorkContext extends SharedContext {
  /** The state in which the work was decided. */
  readonly state: RunState;
  readonly code: RunCode;
  readonly abort: Abort;
  /** Everything recorded before the work was committed up to here. */
  readonly position: Position;
}

/** Carries out one piece of work. No entries when it is left open, for later or for the next owner. */
export function performWork(work: Work, context: WorkContext): Promise<readonly Entry[]> {
  const { clock } = context.engine;
  const startedAtMs = clock.nowMs();
  const tookMs = (): number => Math.max(0, clock.nowMs() - startedAtMs);
  switch (work.kind) {
    case 'ask-model':
      return askModel(context, tookMs).then(listOf);
    case 'admit':
      return admit(work, context);
    case 'attempt':
      return needsAdmission(work.call)
        ? admittedAttempt(work, context, tookMs)
        : attempt(work, context, tookMs).then(listOf);
    case 'verify':
      return verify(work, context, tookMs).then(listOf);
  }
}

/** Resolves when everything recorded before the work is on the disk. */
function synced({ engine, position }: WorkContext): Promise<void> {
  return engine.store.synced(position);
}

function listOf(entry: Entry | undefined): readonly Entry[] {
  return entry === undefined ? [] : [entry];
}

async function admit(work: Extract<CallWork, { kind: 'admit' }>, context: WorkContext): Promise<readonly Entry[]> {
  return (await keptResult(work, context)) ?? context.admissions.admit(work, context.abort.signal);
}

/** What a kept result answers need not be asked of an upstream. */
async function keptResult(
  { call, attempt: number }: CallWork,
  context: WorkContext,
): Promise<readonly Entry[] | undefined> {
  const { engine, state, code, kept } = context;
  if (call.terms.cache === undefined || findCall(state, call.callId)?.phase.kind !== 'ready') return undefined;
  const { callId } = call;
  const move = { kind: 'begin', callId, entry: { type: 'attempt-started', callId, attempt: number } } as const;
  await kept.lookUp(move, state, { code, nowMs: Math.max(engine.clock.nowMs(), state.nowMs) });
  const found = kept.found(move);
  return found === undefined ? undefined : [found];
}

/** The permit is given back whatever becomes of the attempt, and its end is what the breaker learns. */
async function admittedAttempt(work: CallWork, context: WorkContext, tookMs: () => number): Promise<readonly Entry[]> {
  const { callId } = work.call;
  const { admissions } = context;
  const permit = admissions.begin(callId);
  let end: AttemptEnd = { kind: 'unknown' };
  let finished: AttemptFinished;
  let changes: readonly Entry[] = [];
  try {
    finished = await attempt(work, context, tookMs);
    end = endOf(finished.result, context.abort.isAborted);
  } finally {
    if (permit !== undefined) changes = await admissions.ended(permit, callId, end);
  }
  // The run may have been taken while the permit was on its way back.
  if (context.isOver()) lateResult(work, context, finished.result);
  return [finished, ...changes];
}

/** A result that can no longer become an entry. A second time does nothing: evidence has a key of its own. */
function lateResult(work: CallWork, { engine, state }: WorkContext, result: AttemptResult): void {
  const { callId, terms } = work.call;
  if (terms.effect === 'read') return;
  handInEvidence(engine, { runId: state.runId, callId, attempt: work.attempt, result });
}

async function attempt(work: CallWork, context: WorkContext, tookMs: () => number): Promise<AttemptFinished> {
  const finished = (result: AttemptResult, sandbox?: string): AttemptFinished => ({
    type: 'attempt-finished',
    callId: work.call.callId,
    attempt: work.attempt,
    result,
    tookMs: tookMs(),
    ...(sandbox === undefined ? {} : { sandbox }),
  });
  const contract = context.code.contracts.get(work.call.tool);
  // A run whose tools are missing is held before anything of it begins.
  if (contract === undefined) throw new AxleError('internal', `The tool ${work.call.tool} is not registered here.`);
  const body = contract.program === undefined ? undefined : await programBody(contract, context.engine.sandboxes);
  if (body?.kind === 'unavailable') return finished({ status: 'failed', failure: body.failure });
  if (work.call.terms.effect !== 'read') {
    /* @crashpoint effect-before-sync */
    await synced(context);
    /* @crashpoint effect-after-sync */
  }
  // While the disk was at it the run may have been cancelled or taken.
  if (context.abort.isAborted) return finished({ status: 'failed', failure: notBegun });
  if (isTooLate(work, context)) return finished({ status: 'failed', failure: tooLate });
  /* @crashpoint attempt-before-effect */
  const onLate = (result: AttemptResult): void => lateResult(work, context, result);
  const result = await performAttempt({
    ...attemptOptions(work, contract, context),
    onLate,
    execute: body?.execute,
  });
  /* @crashpoint attempt-after-effect */
  if (result.status === 'failed' && result.drift !== undefined) {
    noteDrift(context.engine, work.call, { runId: context.state.runId, drift: result.drift });
  }
  if (context.isOver()) onLate(result);
  return finished(result, body?.driver);
}

function attemptOptions(
  work: CallWork,
  contract: Contract,
  { engine, state, abort }: WorkContext,
): Omit<AttemptOptions, 'onLate'> {
  const { call } = work;
  const { callId } = call;
  const { runId } = state;
  let key: string | undefined;
  const tell = (kind: 'tool-log' | 'tool-progress', told: unknown): void =>
    engine.watcher.told({ kind, callId, attempt: work.attempt, data: dataOf(told, engine) }, state);
  return {
    contract,
    call,
    abort,
    timers: engine.timers,
    clock: engine.clock,
    aliases: engine.aliases,
    context: {
      runId,
      callId,
      attempt: work.attempt,
      // Few tools ask for it, and it is a hash.
      idempotencyKey: () => (key ??= keyOfAttempt(runId, call)),
      log: (message, data) => tell('tool-log', { message, data }),
      progress: (update) => tell('tool-progress', update),
    },
  };
}

/** Nothing that goes wrong with telling may touch the call: what cannot be shown is named, not thrown. */
function dataOf(told: unknown, engine: Engine): JsonValue {
  try {
    return concealIn(toJson(told), (text) => engine.aliases?.conceal(text) ?? text);
  } catch (error) {
    return { unstorable: messageOf(error) };
  }
}

async function verify(
  work: Extract<CallWork, { kind: 'verify' }>,
  context: WorkContext,
  tookMs: () => number,
): Promise<Entry | undefined> {
  const named = { type: 'verify-finished', callId: work.call.callId, round: work.round } as const;
  const contract = context.code.contracts.get(work.call.tool);
  if (contract === undefined) return { ...named, verdict: { kind: 'unknown' }, tookMs: 0 };
  /* @crashpoint verify-before */
  const { verdict, failure } = await performVerify(attemptOptions(work, contract, context));
  /* @crashpoint verify-after */
  if (context.abort.isAborted && context.isLeaving()) return undefined;
  const again =
    verdict.kind === 'unknown' && work.round < maxVerifyRounds
      ? { retryAtMs: nowMs(context) + verifyPauseMs * 2 ** (work.round - 1) }
      : {};
  return { ...named, verdict, tookMs: tookMs(), ...again, ...(failure === undefined ? {} : { failure }) };
}

/** The first pause before `verify` is asked again; it doubles. */
const verifyPauseMs = 1_000;

function nowMs({ engine, state }: WorkContext): number {
  return Math.max(engine.clock.nowMs(), state.nowMs);
}

async function askModel(context: WorkContext, tookMs: () => number): Promise<Entry | undefined> {
  const { engine, state, code, abort } = context;
  const { task } = state;
  const { agent } = code;
  if (task?.kind !== 'agent' || agent === undefined) {
    throw new AxleError('internal', `Run ${state.runId} has no model to ask.`);
  }
  const remainingMs = Math.max(1, task.agent.limits.workMs - state.workMs);
  // One sync covers all appends before it: those of a turn of reads are on the disk before the model is shown what they brought.
  if (state.durability === 'strict') await synced(context);
  const shown = state.context.tools === undefined ? code : code.listOf(state.context.tools);
  if (!isToolListKept(engine, shown.toolsHash)) await keepToolList(engine, shown);
  /* @crashpoint model-before */
  const answer = await askBrain({
    brain: agent.brain,
    timers: engine.timers,
    abort,
    timeoutMs: Math.min(agent.modelTimeoutMs, remainingMs),
    request: {
      instructions: task.agent.instructions,
      view: shownView(state),
      tools: shown.tools,
      settings: agent.settings,
      onDelta: (delta) => engine.watcher.told(liveDelta(delta, state), state),
      memory: context.brainMemory,
    },
  });
  /* @crashpoint model-after */
  if (abort.isAborted && context.isLeaving()) return undefined;
  if (answer.status === 'failed') {
    return {
      type: 'model-failed',
      failure: answer.failure,
      tookMs: tookMs(),
      ...retryOf(answer.failure, context, agent.modelAttempts),
    };
  }
  const { finishReason, usage, respondedAs } = answer;
  const { parts, unreadable } = readAnswer(answer, {
    names: code.names,
    items: () => state.transcript.items(),
  });
  return {
    type: 'model-finished',
    parts,
    finishReason,
    usage,
    tookMs: tookMs(),
    ...(unreadable === undefined ? {} : { unreadable }),
    ...(respondedAs === undefined ? {} : { respondedAs }),
  };
}

function liveDelta(delta: BrainDelta, { step, model }: RunState): LiveEvent {
  const about = {
    step,
    attempt: model.kind === 'asking' ? model.attempt : 1,
    part: delta.part,
    text: delta.text,
  };
  return delta.kind === 'call'
    ? { kind: 'call-delta', ...about, toolCallId: delta.toolCallId, toolName: delta.toolName }
    : { kind: `${delta.kind}-delta`, ...about };
}

/** A model call has no effect, so a fault that may pass is waited out like that of a read. */
function retryOf(failure: Failure, context: WorkContext, modelAttempts: number): { readonly retryAtMs?: number } {
  const { engine, state } = context;
  const failures = state.model.kind === 'asking' ? state.model.failures : 0;
  if (failure.class !== 'retryable' || failures + 1 >= modelAttempts) return {};
  const delayMs = backOffMs(modelBackOff, failure, { attempt: failures + 1, draw: engine.random.next() });
  return delayMs === undefined ? {} : { retryAtMs: nowMs(context) + delayMs };
}

/**
 * True when the time that the attempt may take has passed before it began: this process stood still, and another may have taken the run and found out,
 * truly, that nothing happened. It narrows that gap; safety does not rest on it.
 */
function isTooLate({ call }: CallWork, context: WorkContext): boolean {
  const phase = findCall(context.state, call.callId)?.phase;
  return phase?.kind === 'attempting' && nowMs(context) - phase.startedAtMs >= call.terms.timeoutMs;
}

const tooLate = failureOf(
  'call-interrupted',
  'The process stood still for as long as the attempt may take, so it was not begun.',
  { evidence: 'none' },
);

const notBegun = failureOf('call-cancelled', 'The call was cancelled before it began.', { evidence: 'none' });
