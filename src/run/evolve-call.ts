/** The fold of one call: where it stands after an entry that names it. The machine is drawn in `call-machine.ts`. */
import { AxleError } from '../error/axle-error.ts';
import type { BoundCall, Call } from '../call/call.ts';
import type { ContractPin } from '../call/pin.ts';
import type { Outcome } from '../call/outcome.ts';
import type { ApprovalAnswered, CallDecided, CallEntry, CallSettled, VerifyFinished } from '../journal/entry.ts';
import { impliedOutcome } from '../journal/implied-outcome.ts';
import type { CallPhase, CallState } from './state.ts';

/** Whose entry it is, and when it was written. */
export interface EntryOrigin {
  readonly epoch: number;
  readonly nowMs: number;
  readonly contracts: readonly ContractPin[];
}

/** A call with what the run pinned of its contract. */
export function callOf(bound: BoundCall, contracts: readonly ContractPin[]): Call {
  const pin = contracts.find((contract) => contract.name === bound.tool);
  if (pin === undefined) {
    throw new AxleError('entry-invalid', `Call ${bound.callId} names ${bound.tool}, which the run did not pin.`);
  }
  return { ...bound, toolVersion: pin.version, contractHash: pin.hash, terms: pin.terms };
}

export function evolveCall(before: CallState, entry: CallEntry, origin: EntryOrigin): CallState {
  switch (entry.type) {
    case 'call-decided':
      return { ...before, phase: decided(entry) };
    case 'approval-answered':
      return answered(before, entry, origin);
    case 'approval-expired':
      return to(before, settled(impliedOutcome(entry)));
    case 'attempt-started': {
      const isAfterLoss = before.phase.kind === 'attempting';
      return {
        ...before,
        attempts: entry.attempt,
        lostAttempts: before.lostAttempts + (isAfterLoss ? 1 : 0),
        mayHaveHappened: before.mayHaveHappened || isAfterLoss,
        phase: { kind: 'attempting', attempt: entry.attempt, epoch: origin.epoch, startedAtMs: origin.nowMs },
      };
    }
    case 'attempt-finished': {
      const { result } = entry;
      const mayHaveHappened =
        before.mayHaveHappened || (result.status === 'failed' && result.failure.evidence !== 'none');
      return { ...before, mayHaveHappened, phase: { kind: 'answered', attempt: entry.attempt, result } };
    }
    case 'retry-scheduled':
      return to(before, { kind: 'backing-off', attempt: entry.attempt, dueAtMs: entry.dueAtMs });
    case 'call-doubted':
      return to(before, {
        kind: 'doubtful',
        attempt: entry.attempt,
        reason: entry.reason,
        verify: entry.verifyAtMs === undefined ? { kind: 'spent' } : { kind: 'due', round: 1, atMs: entry.verifyAtMs },
      });
    case 'verify-started':
      return before.phase.kind === 'doubtful'
        ? to(before, { ...before.phase, verify: { kind: 'running', round: entry.round, epoch: origin.epoch } })
        : before;
    case 'verify-finished':
      return before.phase.kind === 'doubtful' ? to(before, { ...before.phase, verify: verified(entry) }) : before;
    case 'call-resolved': {
      if (before.phase.kind !== 'doubtful') return before;
      const { verdict } = entry;
      const mayHaveHappened = before.mayHaveHappened && (verdict.kind !== 'not-happened' || hasSucceeded(before));
      return { ...before, mayHaveHappened, phase: { kind: 'resolved', attempt: before.phase.attempt, verdict } };
    }
    case 'evidence-received': {
      // It never replaces an outcome (R14). That an attempt had its effect is known for good: what becomes of another attempt does not take it back.
      if (hasSucceeded(before)) return before;
      const { attempt, result } = entry;
      const mayHaveHappened = before.mayHaveHappened || result.status === 'succeeded';
      return { ...before, mayHaveHappened, evidence: { attempt, result } };
    }
    case 'call-settled':
      return to(before, settled(outcomeOf(before, entry)));
  }
}

/** True when a late result said that an attempt had its effect. */
function hasSucceeded({ evidence }: CallState): boolean {
  return evidence?.result.status === 'succeeded';
}

function to(before: CallState, phase: CallPhase): CallState {
  return { ...before, phase };
}

function settled(outcome: Outcome): CallPhase {
  return { kind: 'settled', outcome };
}

function decided(entry: CallDecided): CallPhase {
  const denial = impliedOutcome(entry);
  if (denial !== undefined) return settled(denial);
  if (entry.decision.kind === 'allow') return { kind: 'ready' };
  if (entry.approval === undefined) {
    throw new AxleError('entry-invalid', `The question about call ${entry.callId} has no approval id.`);
  }
  return { kind: 'asking', ...entry.approval };
}

function answered(before: CallState, entry: ApprovalAnswered, origin: EntryOrigin): CallState {
  if (before.phase.kind !== 'asking' || before.phase.approvalId !== entry.approvalId) return before;
  const denial = impliedOutcome(entry);
  if (denial !== undefined) return to(before, settled(denial));
  const { edited } = entry;
  const call = edited === undefined ? {} : { call: callOf(edited, origin.contracts), input: edited.input };
  const { approvalId, expiresAtMs } = before.phase;
  return { ...before, ...call, phase: { kind: 'ready', approval: { approvalId, expiresAtMs } } };
}

function verified(entry: VerifyFinished): Extract<CallPhase, { kind: 'doubtful' }>['verify'] {
  if (entry.verdict.kind !== 'unknown') return { kind: 'concluded', verdict: entry.verdict };
  return entry.retryAtMs === undefined
    ? { kind: 'spent' }
    : { kind: 'due', round: entry.round + 1, atMs: entry.retryAtMs };
}

/** A settlement that carries no outcome of its own takes the output that the attempt or the resolution left. */
function outcomeOf(before: CallState, entry: CallSettled): Outcome {
  if (entry.outcome !== undefined) return entry.outcome;
  const { phase } = before;
  if (phase.kind === 'answered' && phase.result.status === 'succeeded') {
    return { status: 'succeeded', output: phase.result.output };
  }
  if (phase.kind === 'resolved' && phase.verdict.kind === 'happened') {
    return { status: 'succeeded', output: phase.verdict.output };
  }
  throw new AxleError('entry-invalid', `Call ${entry.callId} was settled without an outcome.`);
}
