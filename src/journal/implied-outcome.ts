/** Outcomes that stand in no entry of their own, since the entry that ends the call implies them (E2). */
import type { Outcome } from '../call/outcome.ts';
import type { ApprovalAnswered, ApprovalExpired, CallDecided, CallRefused } from './entry.ts';

/** The outcome of a call that such an entry ends; undefined when it does not end the call. */
export function impliedOutcome(entry: ApprovalExpired | CallRefused): Outcome;
export function impliedOutcome(entry: CallDecided | ApprovalAnswered): Outcome | undefined;
export function impliedOutcome(
  entry: CallDecided | ApprovalAnswered | ApprovalExpired | CallRefused,
): Outcome | undefined {
  switch (entry.type) {
    case 'call-decided':
      return entry.decision.kind === 'deny' ? denied(entry.decision.reason) : undefined;
    case 'approval-answered':
      if (entry.verdict === 'approve') return undefined;
      return denied(
        entry.note === undefined ? 'A person refused the call.' : `A person refused the call: ${entry.note}`,
      );
    case 'approval-expired':
      return { status: 'denied', code: 'approval-expired', reason: 'Nobody answered the approval in time.' };
    case 'call-refused':
      return { status: 'failed', failure: entry.failure, effectMayHaveHappened: false };
  }
}

function denied(reason: string): Outcome {
  return { status: 'denied', code: 'call-denied', reason };
}
