/** What becomes of the locks of a call, from its state alone. Which locks they are is the contract's and the input's business (`lock-names.ts`). */
import type { LockUse } from '../execute/locks/named-locks.ts';
import { locksOf } from '../contract/lock-names.ts';
import type { KeptLock } from '../journal/store.ts';
import { isAdmitted } from './admitted.ts';
import { type CallState, findCall, type RunState } from './state.ts';

/** Locks that a crash does not free: those of writes that may have had their effect, where the contract has them kept. */
export function keptLocks({ turn }: RunState): readonly KeptLock[] {
  const kept: KeptLock[] = [];
  for (const callState of turn?.calls ?? []) {
    const { call, callId } = callState;
    const terms = call?.terms.locks?.filter(({ keptInDoubt }) => keptInDoubt === true) ?? [];
    if (call === undefined || terms.length === 0 || !mayBeInDoubt(callState)) continue;
    const names = locksOf(terms, call.input);
    if (names.kind === 'named') kept.push(...names.locks.map(({ name }) => ({ callId, name })));
  }
  return kept;
}

/** Whether a call has a use for the locks that it has. */
export function lockUse(state: RunState, callId: string): LockUse {
  const callState = findCall(state, callId);
  if (callState === undefined) return 'over';
  const { phase, call } = callState;
  if (isAdmitted(state, callState)) return 'needed';
  if (phase.kind === 'attempting' && phase.epoch === state.epoch) return 'needed';
  const isKept = call?.terms.locks?.some(({ keptInDoubt }) => keptInDoubt === true) === true;
  return isKept && mayBeInDoubt(callState) ? 'in-doubt' : 'over';
}

/** True from the announcement of an attempt until it is known what became of it. */
function mayBeInDoubt({ phase }: CallState): boolean {
  switch (phase.kind) {
    case 'attempting':
    case 'doubtful':
      return true;
    case 'answered':
      return phase.result.status === 'failed' && phase.result.failure.evidence === 'unknown';
    case 'bound':
    case 'asking':
    case 'authorizing':
    case 'ready':
    case 'backing-off':
    case 'resolved':
    case 'settled':
      return false;
  }
}
