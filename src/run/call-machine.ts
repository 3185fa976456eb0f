/**
 * The call machine: what becomes of a call, written once for every kind of run.
 *
 *   bound ──decided──► ready ──attempt-started──► attempting ──attempt-finished──► answered ──► settled
 *     │                 ▲                           │    ▲                           │
 *     ├──► asking ──────┘                           │    ├── backing-off ◄────────── ┤ (may be tried again)
 *     │       │          (the epoch rises)          │    │                           │
 *     │       │          a write ───────────────────┴──► doubtful ◄──────────────────┘ (a write, nobody answered)
 *     │       │          others: attempting again        │
 *     ▼       ▼                                          ▼ evidence, verify, person, policy
 *   settled (denied, expired)                          resolved ──► settled, or attempting again
 *
 *   A cancellation settles what has not begun (bound, asking, ready, backing-off, resolved as not happened) and lost attempts of what is no write.
 *
 * M1 One attempt at a time; nothing else repeats anything. (L1)
 * M2 A `write` is attempted again only after proof that nothing was sent, or a resolution that says it did not happen. (L2, R9)
 * M3 A `write` whose attempt was lost, or that nobody answered, is doubtful; never a failure, never a success. (L4, R10)
 * M4 After a cancellation nothing starts; a `write` under way ends in an answer or a doubt. `cancelled` is said only of what changed nothing. (L10, R30)
 * M5 All of it is a function of the state: no clock, no randomness (a draw is handed in and recorded as a due time).
 */
import type { Call } from '../call/call.ts';
import { failureOf } from '../call/failure.ts';
import type { AttemptResult, Failure, Outcome } from '../call/outcome.ts';
import type { CallResolved, Entry } from '../journal/entry.ts';
import type { WaitReason } from '../journal/store.ts';
import { AxleError } from '../error/axle-error.ts';
import { type CallPhase, type CallState, findCall, type RunState } from './state.ts';

/** What the driver carries out for a call. Its key tells whether it is in hand already. */
export type CallWork =
  | { readonly kind: 'attempt'; readonly key: string; readonly call: Call; readonly attempt: number }
  | {
      readonly kind: 'verify';
      readonly key: string;
      readonly call: Call;
      readonly attempt: number;
      readonly round: number;
    };

/** The next thing for one call. */
export type CallStep =
  | { readonly kind: 'judge' }
  | { readonly kind: 'conclude' }
  | { readonly kind: 'record'; readonly entries: readonly Entry[] }
  /** May begin, once its turn in the order of calls has come. */
  | { readonly kind: 'start'; readonly entry: Entry }
  | { readonly kind: 'work'; readonly work: CallWork }
  | { readonly kind: 'wait'; readonly on: WaitReason; readonly wakeAtMs?: number }
  | { readonly kind: 'done' };

/** Attempts that crashes may cut off before a call is given up, on top of its retries: a call that kills its process must not do so for ever. */
export const maxLostAttempts = 5;

/** Rounds of `verify` before a person is asked. */
export const maxVerifyRounds = 3;

/** What comes next for a call. */
export function stepOf(state: RunState, callState: CallState): CallStep {
  const { phase, call } = callState;
  if (phase.kind === 'settled') return { kind: 'done' };
  if (call === undefined) throw new AxleError('internal', `Call ${callState.callId} is open without a contract.`);
  if (state.cancel !== undefined && mayCancel(callState, state.epoch)) {
    return settle(callState, cancelled(callState, state.cancel.reason));
  }
  switch (phase.kind) {
    case 'bound':
      return { kind: 'judge' };
    case 'asking':
      if (phase.expiresAtMs <= state.nowMs) {
        return record({ type: 'approval-expired', approvalId: phase.approvalId, callId: callState.callId });
      }
      return {
        kind: 'wait',
        wakeAtMs: phase.expiresAtMs,
        on: {
          kind: 'approval',
          approvalId: phase.approvalId,
          callId: callState.callId,
          expiresAtMs: phase.expiresAtMs,
        },
      };
    case 'ready':
      return firstAttempt(state, callState.callId, phase);
    case 'backing-off':
      if (phase.dueAtMs > state.nowMs) {
        return { kind: 'wait', on: { kind: 'timer', dueAtMs: phase.dueAtMs }, wakeAtMs: phase.dueAtMs };
      }
      return { kind: 'start', entry: { type: 'attempt-started', callId: callState.callId, attempt: phase.attempt } };
    case 'attempting':
      return phase.epoch === state.epoch
        ? { kind: 'work', work: attemptWork(call, phase.attempt) }
        : afterLoss(callState, call, phase);
    case 'answered':
      return { kind: 'conclude' };
    case 'doubtful':
      return stepOfDoubt(state, callState, { call, phase });
    case 'resolved':
      return stepOfResolution(callState, phase);
  }
}

/** An approval must still hold when the attempt begins that uses it up (R15, R16). */
function firstAttempt(state: RunState, callId: string, { approval }: Extract<CallPhase, { kind: 'ready' }>): CallStep {
  if (approval === undefined) return { kind: 'start', entry: { type: 'attempt-started', callId, attempt: 1 } };
  const { approvalId, expiresAtMs } = approval;
  if (expiresAtMs <= state.nowMs) return record({ type: 'approval-expired', approvalId, callId });
  return { kind: 'start', entry: { type: 'attempt-started', callId, attempt: 1, approvalId } };
}

/** A call that has not begun may be cancelled; so may one whose attempt was lost, when it is no write (M4). */
function mayCancel(callState: CallState, epoch: number): boolean {
  const { phase, call } = callState;
  switch (phase.kind) {
    case 'bound':
    case 'asking':
    case 'ready':
    case 'backing-off':
      return true;
    case 'attempting':
      return phase.epoch !== epoch && call?.terms.effect !== 'write';
    case 'resolved':
      return phase.verdict.kind === 'not-happened';
    case 'answered':
    case 'doubtful':
    case 'settled':
      return false;
  }
}

/** The outcome of a call that is not gone on with. `cancelled` says that it changed nothing, so it is not said of an effect that may have got through. */
function cancelled(callState: CallState, reason: string): Outcome {
  const mayHaveHappened = callState.mayHaveHappened || callState.phase.kind === 'attempting';
  if (callState.call?.terms.effect === 'read' || !mayHaveHappened) return { status: 'cancelled', reason };
  const failure = failureOf('call-cancelled', `The call was under way when the run was cancelled: ${reason}`, {
    evidence: 'unknown',
  });
  return { status: 'failed', failure, effectMayHaveHappened: true };
}

function attemptWork(call: Call, attempt: number): CallWork {
  return { kind: 'attempt', key: `${call.callId}#${attempt}`, call, attempt };
}

/** The process that made the attempt is gone (M3). */
function afterLoss(callState: CallState, call: Call, phase: Extract<CallPhase, { kind: 'attempting' }>): CallStep {
  if (call.terms.effect === 'write') {
    // A paused owner may still be at it until the time limit of its attempt.
    return record(
      doubt(callState, call, {
        attempt: phase.attempt,
        reason: 'crash',
        fromMs: phase.startedAtMs + call.terms.timeoutMs,
      }),
    );
  }
  if (callState.lostAttempts >= maxLostAttempts) {
    const failure = failureOf(
      'retries-exhausted',
      `The call was cut off ${callState.lostAttempts + 1} times by the end of its process and is not tried again.`,
      { evidence: 'unknown' },
    );
    return settle(callState, { status: 'failed', failure, effectMayHaveHappened: call.terms.effect !== 'read' });
  }
  return { kind: 'start', entry: { type: 'attempt-started', callId: callState.callId, attempt: phase.attempt + 1 } };
}

function doubt(
  callState: CallState,
  call: Call,
  about: { readonly attempt: number; readonly reason: 'crash' | 'no-answer'; readonly fromMs: number },
): Entry {
  // `verify` is believed only after the attempt's own time limit and the settling time have passed (R12).
  const verifyAtMs = Math.ceil(about.fromMs + call.terms.settleMs);
  return {
    type: 'call-doubted',
    callId: callState.callId,
    attempt: about.attempt,
    reason: about.reason,
    ...(call.terms.canVerify ? { verifyAtMs } : {}),
  };
}

/**
 * True while the doubt that a verification was started for is still open. What ends later is of no use: it was asked about another attempt, or the doubt is
 * resolved. (R12)
 */
export function isAwaited(state: RunState, work: Extract<CallWork, { kind: 'verify' }>): boolean {
  const phase = findCall(state, work.call.callId)?.phase;
  return (
    phase?.kind === 'doubtful' &&
    phase.attempt === work.attempt &&
    phase.verify.kind === 'running' &&
    phase.verify.round === work.round
  );
}

interface Doubt {
  readonly call: Call;
  readonly phase: Extract<CallPhase, { kind: 'doubtful' }>;
}

function stepOfDoubt(state: RunState, callState: CallState, { call, phase }: Doubt): CallStep {
  const fromEvidence = isAbout(callState, phase.attempt) ? verdictOfEvidence(callState.evidence.result) : undefined;
  if (fromEvidence !== undefined) {
    return record({ type: 'call-resolved', callId: callState.callId, verdict: fromEvidence, by: 'evidence' });
  }
  switch (phase.verify.kind) {
    case 'due':
      if (phase.verify.atMs > state.nowMs) {
        return { kind: 'wait', on: { kind: 'timer', dueAtMs: phase.verify.atMs }, wakeAtMs: phase.verify.atMs };
      }
      return record({ type: 'verify-started', callId: callState.callId, round: phase.verify.round });
    case 'running':
      if (phase.verify.epoch !== state.epoch) {
        return record({ type: 'verify-started', callId: callState.callId, round: phase.verify.round });
      }
      return {
        kind: 'work',
        work: {
          kind: 'verify',
          key: `${callState.callId}?${phase.attempt}.${phase.verify.round}`,
          call,
          attempt: phase.attempt,
          round: phase.verify.round,
        },
      };
    case 'concluded': {
      const { verdict } = phase.verify;
      const mayRetry = callState.attempts - callState.lostAttempts < call.terms.maxAttempts;
      const resolved = verdict.kind === 'not-happened' && !mayRetry ? { ...verdict, then: 'fail' as const } : verdict;
      return record({ type: 'call-resolved', callId: callState.callId, verdict: resolved, by: 'verify' });
    }
    case 'spent':
      if (state.task?.kind === 'agent' && state.task.agent.onDoubt === 'tell') {
        return record({ type: 'call-resolved', callId: callState.callId, verdict: { kind: 'told' }, by: 'policy' });
      }
      return { kind: 'wait', on: { kind: 'doubt', callId: callState.callId } };
  }
}

/** A failure speaks of its own attempt only; that an earlier attempt had its effect answers the doubt about a later one too. */
function isAbout<T extends CallState>(callState: T, attempt: number): callState is T & Required<Pick<T, 'evidence'>> {
  const { evidence } = callState;
  return evidence !== undefined && (evidence.attempt === attempt || evidence.result.status === 'succeeded');
}

/** A late answer settles a doubt when it says what happened: a success, or a failure that proves that nothing was sent (R14). */
function verdictOfEvidence(result: AttemptResult): CallResolved['verdict'] | undefined {
  if (result.status === 'succeeded') return { kind: 'happened', output: result.output };
  return result.failure.evidence === 'none' ? { kind: 'not-happened', then: 'fail' } : undefined;
}

function stepOfResolution(callState: CallState, phase: Extract<CallPhase, { kind: 'resolved' }>): CallStep {
  switch (phase.verdict.kind) {
    case 'happened':
      return record({ type: 'call-settled', callId: callState.callId, status: 'succeeded' });
    case 'told':
      return settle(callState, {
        status: 'in-doubt',
        reason: 'The call was started and nobody knows whether it had its effect.',
      });
    case 'not-happened':
      if (phase.verdict.then === 'retry') {
        return {
          kind: 'start',
          entry: { type: 'attempt-started', callId: callState.callId, attempt: phase.attempt + 1 },
        };
      }
      return settle(callState, { status: 'failed', failure: didNotHappen, effectMayHaveHappened: false });
  }
}

const didNotHappen = failureOf(
  'call-interrupted',
  'The call was interrupted, and it is established that it had no effect.',
  { evidence: 'none' },
);

/** What an attempt's result leads to: a settlement, another attempt, or a doubt. `draw` is a random number in [0, 1). (R13) */
export function concludeAttempt(state: RunState, callState: CallState, draw: number): readonly Entry[] {
  const { call, phase } = callState;
  if (call === undefined || phase.kind !== 'answered') {
    throw new AxleError('internal', `Call ${callState.callId} has no answer to conclude.`);
  }
  const { callId } = callState;
  if (phase.result.status === 'succeeded') return [{ type: 'call-settled', callId, status: 'succeeded' }];
  const { failure } = phase.result;
  const { terms } = call;
  if (state.cancel !== undefined && (terms.effect !== 'write' || failure.evidence === 'none')) {
    const outcome = cancelled(callState, state.cancel.reason);
    return [{ type: 'call-settled', callId, status: outcome.status, outcome }];
  }
  if (terms.effect === 'write' && failure.evidence === 'unknown') {
    return [doubt(callState, call, { attempt: phase.attempt, reason: 'no-answer', fromMs: state.nowMs })];
  }
  const mayRetry = failure.class === 'retryable' && (terms.effect !== 'write' || failure.evidence === 'none');
  const attemptsUsed = callState.attempts - callState.lostAttempts;
  const delayMs =
    mayRetry && attemptsUsed < terms.maxAttempts
      ? backOffMs(backOffOf(call), failure, { attempt: attemptsUsed, draw })
      : undefined;
  if (delayMs !== undefined && state.cancel === undefined) {
    return [{ type: 'retry-scheduled', callId, attempt: phase.attempt + 1, dueAtMs: state.nowMs + delayMs }];
  }
  // The last failure may prove that nothing was sent by then; an attempt before it may have got through.
  const effectMayHaveHappened = terms.effect !== 'read' && callState.mayHaveHappened;
  return [
    { type: 'call-settled', callId, status: 'failed', outcome: { status: 'failed', failure, effectMayHaveHappened } },
  ];
}

/** The shape of a back-off, in milliseconds. */
export interface BackOff {
  readonly baseMs: number;
  readonly capMs: number;
}

function backOffOf({ terms }: Call): BackOff {
  return { baseMs: terms.backoffBaseMs, capMs: terms.backoffCapMs };
}

/** Longer waits than a day are not waited for: the attempt before was the last one. */
const maxRetryAfterMs = 86_400_000;

/**
 * How long to wait before the next attempt. What the upstream asked for is honoured to the letter, 0 included; else exponential back-off with full jitter,
 * so that many callers do not come back at once (Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015): a draw from 0 to twice
 * base x 2^(attempt-1), so around 1, 2 and 4 s for a base of 1 s, capped.
 */
export function backOffMs(
  { baseMs, capMs }: BackOff,
  failure: Failure,
  at: { readonly attempt: number; readonly draw: number },
): number | undefined {
  if (failure.retryAfterMs !== undefined) {
    return failure.retryAfterMs <= maxRetryAfterMs ? Math.ceil(failure.retryAfterMs) : undefined;
  }
  const rangeMs = Math.min(capMs, 2 * baseMs * 2 ** (at.attempt - 1));
  return Math.round(at.draw * rangeMs);
}

function record(...entries: readonly Entry[]): CallStep {
  return { kind: 'record', entries };
}

function settle(callState: CallState, outcome: Outcome): CallStep {
  return record({ type: 'call-settled', callId: callState.callId, status: outcome.status, outcome });
}
