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
 *   An attempt that was refused for want of a permission leads from `answered` to a wait for a person, and from there to `ready`, or back to `answered`
 *   (`authorization.ts`).
 *   A call whose tool is down for good goes back to `bound` with the next tool of its chain (`fall-back.ts`): from `answered`, by `call-fell-back`.
 *   A read that may be answered by a kept result settles from `ready`, by `call-cached` (`kept-result.ts`).
 *   Where the contract names an upstream or locks, an attempt begins only once it is admitted (call-admitted), which counts for the epoch that was admitted; a refusal
 *   (admission-refused) is an answer of an attempt that did not begin, and nothing of it is in doubt.
 *
 *   A cancellation settles what has not begun (bound, asking, ready, backing-off, authorizing, resolved as not happened) and lost attempts of what is no write.
 *
 * M1 One attempt at a time; nothing else repeats anything. (L1)
 * M2 A `write` is attempted again only after proof that nothing was sent, or a resolution that says it did not happen. (L2, R9)
 * M3 A `write` whose attempt was lost, or that nobody answered, is doubtful; never a failure, never a success. (L4, R10)
 * M4 After a cancellation nothing starts; a `write` under way ends in an answer or a doubt. `cancelled` is said only of what changed nothing. (L10, R30)
 * M5 All of it is a function of the state: no clock, no randomness (a draw is handed in and recorded as a due time).
 * M6 Waiting for an upstream or a lock is no attempt: whatever cuts it off, the call is where it was. (R21)
 */
import type { Call } from '../call/call.ts';
import { failureOf } from '../call/failure.ts';
import type { AttemptResult, Outcome } from '../call/outcome.ts';
import type { AttemptStarted, CallResolved, Entry } from '../journal/entry.ts';
import type { WaitReason } from '../journal/store.ts';
import { AxleError } from '../error/axle-error.ts';
import { isAdmitted, needsAdmission } from './admitted.ts';
import { authorizationWait, authorizationRequest } from './authorization.ts';
import { type BackOff, backOffMs } from './back-off.ts';
import { hasStandIn } from './chain-links.ts';
import { changedArgument } from './changed-argument.ts';
import type { CallPhase, CallState, HeldApproval, RunState } from './state.ts';

/** What the driver carries out for a call. Its key tells whether it is in hand already. */
export type CallWork =
  /** Takes the locks of a call, and asks its upstream whether an attempt may begin. */
  | { readonly kind: 'admit'; readonly key: string; readonly call: Call; readonly attempt: number }
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
  | { readonly kind: 'start'; readonly entry: AttemptStarted }
  /** May be admitted, once its turn in the order of calls has come. */
  | {
      readonly kind: 'admit';
      readonly work: Extract<CallWork, { kind: 'admit' }>;
      readonly upstream: string | undefined;
    }
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
      if (callState.notBeforeMs !== undefined && callState.notBeforeMs > state.nowMs) {
        return waitUntil(callState.notBeforeMs);
      }
      return nextAttempt(state, { callState, call, attempt: callState.attempts + 1, approval: phase.approval });
    case 'backing-off':
      if (phase.dueAtMs > state.nowMs) return waitUntil(phase.dueAtMs);
      return nextAttempt(state, { callState, call, attempt: phase.attempt, approval: phase.approval });
    case 'attempting':
      return phase.epoch === state.epoch
        ? { kind: 'work', work: attemptWork(call, phase.attempt) }
        : afterLoss(state, callState, { call, phase });
    case 'answered':
      return { kind: 'conclude' };
    case 'authorizing':
      if (phase.expiresAtMs <= state.nowMs) {
        const { authorizationId } = phase;
        return record({ type: 'authorization-expired', callId: callState.callId, authorizationId });
      }
      return { kind: 'wait', wakeAtMs: phase.expiresAtMs, on: authorizationWait(callState.callId, phase) };
    case 'doubtful':
      return stepOfDoubt(state, callState, { call, phase });
    case 'resolved':
      return stepOfResolution(state, callState, { call, phase });
  }
}

interface NextAttempt {
  readonly callState: CallState;
  readonly call: Call;
  readonly attempt: number;
  readonly approval?: HeldApproval | undefined;
}

function waitUntil(dueAtMs: number): CallStep {
  return { kind: 'wait', on: { kind: 'timer', dueAtMs }, wakeAtMs: dueAtMs };
}

/** An approval must still hold when the attempt begins that uses it up (R15, R16); an attempt at an upstream is admitted first. */
function nextAttempt(state: RunState, { callState, call, attempt, approval }: NextAttempt): CallStep {
  const { callId } = callState;
  if (approval !== undefined && approval.expiresAtMs <= state.nowMs) {
    return record({ type: 'approval-expired', approvalId: approval.approvalId, callId });
  }
  const changed = changedArgument(state, callState);
  if (changed !== undefined) {
    return settle(callState, { status: 'failed', failure: changed, effectMayHaveHappened: false });
  }
  const { upstream } = call.terms;
  if (needsAdmission(call) && !(isAdmitted(state, callState) && callState.admission.attempt === attempt)) {
    return { kind: 'admit', upstream, work: { kind: 'admit', key: `${callId}+${attempt}`, call, attempt } };
  }
  const used = approval === undefined ? {} : { approvalId: approval.approvalId };
  return { kind: 'start', entry: { type: 'attempt-started', callId, attempt, ...used } };
}

/**
 * True while only the version that a call is bound to can go on with it: it is under way, or it has begun and may have had an effect. A read can begin anew
 * under another version; what merely waits to be written down needs no code at all.
 */
export function needsItsVersion({ call, phase, attempts }: CallState, epoch: number): boolean {
  switch (phase.kind) {
    case 'settled':
      return false;
    case 'attempting':
      return phase.epoch === epoch || call?.terms.effect !== 'read';
    case 'bound':
    case 'asking':
    case 'ready':
    case 'backing-off':
    case 'authorizing':
      return attempts > 0 && call?.terms.effect !== 'read';
    case 'answered':
    case 'doubtful':
      return true;
    case 'resolved':
      return phase.verdict.kind === 'not-happened' && phase.verdict.then === 'retry';
  }
}

/** A call that has not begun may be cancelled; so may one whose attempt was lost, when it is no write (M4). */
function mayCancel(callState: CallState, epoch: number): boolean {
  const { phase, call } = callState;
  switch (phase.kind) {
    case 'bound':
    case 'asking':
    case 'ready':
    case 'backing-off':
    case 'authorizing':
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
function afterLoss(
  state: RunState,
  callState: CallState,
  { call, phase }: { readonly call: Call; readonly phase: Extract<CallPhase, { kind: 'attempting' }> },
): CallStep {
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
  return nextAttempt(state, { callState, call, attempt: phase.attempt + 1 });
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
      const mayRetry = attemptsUsed(callState) < call.terms.maxAttempts;
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

/** Attempts that count towards the retries of the tool that has the call now. */
function attemptsUsed({
  attempts,
  attemptsBefore = 0,
  lostAttempts,
  refusals = 0,
  authorizations = 0,
}: CallState): number {
  // What an upstream refused is a try too: a call does not wait for ever for one that never has room. What a person was asked for has a limit of its own.
  return attempts - attemptsBefore - lostAttempts - authorizations + refusals;
}

function stepOfResolution(
  state: RunState,
  callState: CallState,
  { call, phase }: { readonly call: Call; readonly phase: Extract<CallPhase, { kind: 'resolved' }> },
): CallStep {
  switch (phase.verdict.kind) {
    case 'happened':
      // What a stand-in answered is made into what the asked tool would have answered.
      if (callState.call?.link !== undefined) return { kind: 'conclude' };
      return record({ type: 'call-settled', callId: callState.callId, status: 'succeeded' });
    case 'told':
      return settle(callState, {
        status: 'in-doubt',
        reason: 'The call was started and nobody knows whether it had its effect.',
      });
    case 'not-happened':
      if (phase.verdict.then === 'retry') {
        return nextAttempt(state, { callState, call, attempt: phase.attempt + 1 });
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
  const request = authorizationRequest(state, callState, failure);
  if (request !== undefined) return [request];
  const mayRetry = failure.class === 'retryable' && (terms.effect !== 'write' || failure.evidence === 'none');
  const used = attemptsUsed(callState);
  // An upstream that is known to be down is not waited for where somebody stands in, and one that was waited for as long as a call may wait not once more.
  const goesOn =
    failure.code === 'upstream-wait-too-long' ||
    failure.code === 'lock-wait-too-long' ||
    (failure.code === 'upstream-open' && hasStandIn(state, callState, failure));
  const delayMs =
    mayRetry && !goesOn && used < terms.maxAttempts
      ? backOffMs(backOffOf(call), failure, { attempt: used, draw })
      : undefined;
  if (delayMs !== undefined && state.cancel === undefined) {
    return [{ type: 'retry-scheduled', callId, attempt: callState.attempts + 1, dueAtMs: state.nowMs + delayMs }];
  }
  // The last failure may prove that nothing was sent by then; an attempt before it may have got through.
  const effectMayHaveHappened = terms.effect !== 'read' && callState.mayHaveHappened;
  return [
    { type: 'call-settled', callId, status: 'failed', outcome: { status: 'failed', failure, effectMayHaveHappened } },
  ];
}

function backOffOf({ terms }: Call): BackOff {
  return { baseMs: terms.backoffBaseMs, capMs: terms.backoffCapMs };
}

function record(...entries: readonly Entry[]): CallStep {
  return { kind: 'record', entries };
}

function settle(callState: CallState, outcome: Outcome): CallStep {
  return record({ type: 'call-settled', callId: callState.callId, status: outcome.status, outcome });
}
