/** Whether what a piece of work brought is still of use when it comes: meanwhile the run may have moved on. */
import { wantsAdmission } from './admitted.ts';
import type { CallWork } from './call-machine.ts';
import type { Work } from './next.ts';
import { findCall, type RunState } from './state.ts';

export function isWanted(state: RunState, work: Work): boolean {
  switch (work.kind) {
    case 'admit':
      return wantsAdmission(state, work);
    case 'verify':
      return isAwaited(state, work);
    case 'attempt':
    case 'ask-model':
      return true;
  }
}

/**
 * True while the doubt that a verification was started for is still open. What ends later is of no use: it was asked about another attempt, or the doubt is
 * resolved. (R12)
 */
function isAwaited(state: RunState, work: Extract<CallWork, { kind: 'verify' }>): boolean {
  const phase = findCall(state, work.call.callId)?.phase;
  return (
    phase?.kind === 'doubtful' &&
    phase.attempt === work.attempt &&
    phase.verify.kind === 'running' &&
    phase.verify.round === work.round
  );
}
