/** The fold of one call: where it stands after an entry that names it. The machine is drawn in `call-machine.ts`. */
import { AxleError } from '../error/axle-error.ts';
import type { BoundCall, Call } from '../call/call.ts';
import type { ContractPin } from '../call/pin.ts';
import type { Outcome } from '../call/outcome.ts';
import type { ApprovalAnswered, CallDecided, CallEntry, CallSettled, VerifyFinished } from '../journal/entry.ts';
import type { AdmissionRefused, CallAdmitted } from '../journal/upstream-entries.ts';
import { impliedOutcome } from '../journal/implied-outcome.ts';
import { inputAsWritten } from './data-bus.ts';
import { afterAuthorization, awaitsAuthorization } from './authorization.ts';
import { defined } from '../util/defined.ts';
import type { CallPhase, CallState, HeldApproval } from './state.ts';

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
    case 'call-admitted':
      return admitted(before, entry, origin);
    case 'admission-refused':
      return refused(before, entry);
    case 'breaker-changed':
      return before;
    case 'attempt-started': {
      const isAfterLoss = before.phase.kind === 'attempting';
      return {
        ...(before.admission === undefined ? before : withoutAdmission(before)),
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
      return to(before, {
        kind: 'backing-off',
        attempt: entry.attempt,
        dueAtMs: entry.dueAtMs,
        ...approvalOf(before.phase),
      });
    case 'authorization-requested':
      return awaitsAuthorization(before, entry);
    case 'authorization-answered':
    case 'authorization-expired':
      return afterAuthorization(before, entry);
    case 'call-fell-back':
      // Nothing of the tool before counts for this one: its retries, its lost attempts, what it may have done (which was nothing, or it was a read).
      return {
        ...before,
        call: { ...callOf(entry.call, origin.contracts), link: entry.link },
        attemptsBefore: before.attempts,
        asked: before.asked ?? before.call?.input ?? before.input,
        lostAttempts: 0,
        ...(before.refusals === undefined ? {} : { refusals: 0 }),
        ...(before.authorizations === undefined ? {} : { authorizations: 0 }),
        mayHaveHappened: false,
        phase: { kind: 'bound' },
      };
    case 'call-cached':
      // A look that was under way when the run was cancelled comes too late.
      return before.phase.kind === 'settled'
        ? before
        : to(before, settled({ status: 'succeeded', output: entry.output }));
    case 'call-recorded':
      return to(before, settled(entry.outcome));
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
      // Of a tool that had the call before it says nothing about the attempts of this one.
      if (attempt <= (before.attemptsBefore ?? 0)) return { ...before, mayHaveHappened };
      return { ...before, mayHaveHappened, evidence: { attempt, result } };
    }
    case 'call-settled':
      return to(before, settled(outcomeOf(before, entry)));
  }
}

/** A call under another version of its tool: whatever was decided or answered about the old one counts no more. An attempt that was cut off stays counted. */
export function migratedCall(before: CallState, call: Call): CallState {
  const isLost = before.phase.kind === 'attempting';
  return {
    ...(before.admission === undefined ? before : withoutAdmission(before)),
    ...changedCall(before, call),
    phase: { kind: 'bound' },
    lostAttempts: before.lostAttempts + (isLost ? 1 : 0),
    migrations: (before.migrations ?? 0) + 1,
    ...(before.phase.kind === 'backing-off' ? { notBeforeMs: before.phase.dueAtMs } : {}),
  };
}

function admitted(before: CallState, { attempt, upstream }: CallAdmitted, { epoch }: EntryOrigin): CallState {
  return { ...before, admission: { attempt, epoch, ...defined({ upstream }) } };
}

/** A refusal is the answer of an attempt that did not begin. One that a crash cut off before it is as lost as before. */
function refused(before: CallState, { attempt, failure }: AdmissionRefused): CallState {
  const isAfterLoss = before.phase.kind === 'attempting';
  return {
    ...before,
    refusals: (before.refusals ?? 0) + 1,
    lostAttempts: before.lostAttempts + (isAfterLoss ? 1 : 0),
    mayHaveHappened: before.mayHaveHappened || isAfterLoss,
    phase: { kind: 'answered', attempt, result: { status: 'failed', failure }, ...approvalOf(before.phase) },
  };
}

/** An approval that is not used up goes along until an attempt begins. */
function approvalOf(phase: CallPhase): { readonly approval?: HeldApproval } {
  return 'approval' in phase ? { approval: phase.approval } : {};
}

function withoutAdmission({ admission: _used, ...rest }: CallState): CallState {
  return rest;
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
  const call = entry.edited === undefined ? {} : changedCall(before, callOf(entry.edited, origin.contracts));
  const { approvalId, expiresAtMs } = before.phase;
  return { ...before, ...call, phase: { kind: 'ready', approval: { approvalId, expiresAtMs } } };
}

/** History goes on showing what the asked tool was sent, also when a person or a migration changed what its stand-in gets. */
function changedCall({ call }: CallState, changed: Call): Pick<CallState, 'input'> | { readonly call: Call } {
  const { link } = call ?? {};
  return link === undefined ? { call: changed, input: inputAsWritten(changed) } : { call: { ...changed, link } };
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
