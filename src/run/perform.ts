/**
 * The part of a run that touches the world: one attempt, one verification, one model call. Each ends in exactly one entry, or in none when the driver leaves.
 *
 * W4 No side effect begins before everything recorded so far is synced, and none begins after an abort. (L3, R2, R30)
 * W5 A result that nobody waits for any more is handed in as evidence. (R14)
 * W7 No attempt begins when the time that it may take has passed since it was announced. (R12)
 */
import { failureOf } from '../call/failure.ts';
import type { AttemptResult, Failure } from '../call/outcome.ts';
import { askBrain, readAnswer } from '../brain/ask-brain.ts';
import type { Contract } from '../contract/contract.ts';
import { AxleError, messageOf } from '../error/axle-error.ts';
import { type AttemptOptions, performAttempt, performVerify } from '../execute/attempt.ts';
import type { Entry } from '../journal/entry.ts';
import { type JsonValue, toJson } from '../util/json.ts';
import { type BackOff, backOffMs, type CallWork, maxVerifyRounds } from './call-machine.ts';
import type { Engine, LiveEvent } from './engine.ts';
import { handInEvidence } from './evidence.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import type { Work } from './next.ts';
import type { RunCode } from './run-code.ts';
import { findCall, type RunState } from './state.ts';

export interface WorkContext {
  readonly engine: Engine;
  /** The state in which the work was decided. */
  readonly state: RunState;
  readonly code: RunCode;
  readonly controller: AbortController;
  /** Resolves when everything recorded before the work is on the disk. */
  readonly synced: () => Promise<void>;
  /** True once the driver has let go of the run: results can no longer become entries. */
  readonly isOver: () => boolean;
  /** True when an abort means that the driver leaves, not that the run is cancelled. */
  readonly isLeaving: () => boolean;
}

/** Carries out one piece of work. Undefined when it is left open for the next owner. */
export async function performWork(work: Work, context: WorkContext): Promise<Entry | undefined> {
  const { clock } = context.engine;
  const startedAtMs = clock.nowMs();
  const tookMs = (): number => Math.max(0, clock.nowMs() - startedAtMs);
  switch (work.kind) {
    case 'ask-model':
      return askModel(context, tookMs);
    case 'attempt': {
      const result = await attempt(work, context);
      return { type: 'attempt-finished', callId: work.call.callId, attempt: work.attempt, result, tookMs: tookMs() };
    }
    case 'verify':
      return verify(work, context, tookMs);
  }
}

async function attempt(work: CallWork, context: WorkContext): Promise<AttemptResult> {
  const { signal } = context.controller;
  const contract = context.code.contracts.get(work.call.tool);
  // A run whose tools are missing is held before anything of it begins.
  if (contract === undefined) throw new AxleError('internal', `The tool ${work.call.tool} is not registered here.`);
  if (work.call.terms.effect !== 'read') {
    /* @crashpoint effect-before-sync */
    await context.synced();
    /* @crashpoint effect-after-sync */
  }
  // While the disk was at it the run may have been cancelled or taken.
  if (signal.aborted) return { status: 'failed', failure: notBegun };
  if (isTooLate(work, context)) return { status: 'failed', failure: tooLate };
  /* @crashpoint attempt-before-effect */
  const onLate = (result: AttemptResult): void => {
    const { callId, terms } = work.call;
    if (terms.effect !== 'read') {
      handInEvidence(context.engine, { runId: context.state.runId, callId, attempt: work.attempt, result });
    }
  };
  const result = await performAttempt({ ...attemptOptions(work, contract, context), onLate });
  /* @crashpoint attempt-after-effect */
  if (context.isOver()) onLate(result);
  return result;
}

function attemptOptions(
  work: CallWork,
  contract: Contract,
  { engine, state, controller }: WorkContext,
): Omit<AttemptOptions, 'onLate'> {
  const { call } = work;
  const { callId } = call;
  const { runId } = state;
  return {
    contract,
    call,
    controller,
    timers: engine.timers,
    context: {
      runId,
      callId,
      attempt: work.attempt,
      idempotencyKey: idempotencyKeyOf(runId, callId),
      log: (message, data) => tell(engine, { kind: 'tool-log', runId, callId }, { message, data }),
      progress: (update) => tell(engine, { kind: 'tool-progress', runId, callId }, update),
    },
  };
}

/** Tells whoever watches. Nothing that goes wrong with it may touch the call: what cannot be shown is named, not thrown. */
function tell(engine: Engine, about: Omit<LiveEvent, 'data'>, told: unknown): void {
  let data: JsonValue;
  try {
    data = toJson(told);
  } catch (error) {
    data = { unstorable: messageOf(error) };
  }
  engine.live({ ...about, data });
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
  if (context.controller.signal.aborted && context.isLeaving()) return undefined;
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
  const { engine, state, code, controller } = context;
  const { task } = state;
  const { agent } = code;
  if (task?.kind !== 'agent' || agent === undefined) {
    throw new AxleError('internal', `Run ${state.runId} has no model to ask.`);
  }
  const remainingMs = Math.max(1, task.agent.limits.workMs - state.workMs);
  // One sync covers all appends before it: those of a turn of reads are on the disk before the model is shown what they brought.
  if (state.durability === 'strict') await context.synced();
  /* @crashpoint model-before */
  const answer = await askBrain({
    brain: agent.brain,
    timers: engine.timers,
    controller,
    timeoutMs: Math.min(agent.modelTimeoutMs, remainingMs),
    request: {
      instructions: task.agent.instructions,
      items: state.transcript.items(),
      tools: code.tools,
      settings: agent.settings,
    },
  });
  /* @crashpoint model-after */
  if (controller.signal.aborted && context.isLeaving()) return undefined;
  if (answer.status === 'failed') {
    return {
      type: 'model-failed',
      failure: answer.failure,
      tookMs: tookMs(),
      ...retryOf(answer.failure, context, agent.modelAttempts),
    };
  }
  const { finishReason, usage, respondedAs } = answer;
  const { parts, unreadable } = readAnswer(answer);
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

/** A model call has no effect, so a fault that may pass is waited out like that of a read. */
function retryOf(failure: Failure, context: WorkContext, modelAttempts: number): { readonly retryAtMs?: number } {
  const { engine, state } = context;
  const failures = state.model.kind === 'asking' ? state.model.failures : 0;
  if (failure.class !== 'retryable' || failures + 1 >= modelAttempts) return {};
  const delayMs = backOffMs(modelBackOff, failure, { attempt: failures + 1, draw: engine.random.next() });
  return delayMs === undefined ? {} : { retryAtMs: nowMs(context) + delayMs };
}

const modelBackOff: BackOff = { baseMs: 1_000, capMs: 10_000 };

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
