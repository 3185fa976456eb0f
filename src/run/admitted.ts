/** Whether a call may begin now, with its locks and at its upstream, and whether it still wants to. */
import type { Call } from '../call/call.ts';
import { type CallState, findCall, type RunState } from './state.ts';

/**
 * True while a call still wants the admission that was asked for: meanwhile its run may have been cancelled, or the call may have got another contract. What an
 * upstream answers later than that is of no use, and reopens nothing.
 */
export function wantsAdmission(
  state: RunState,
  { call, attempt }: { readonly call: Call; readonly attempt: number },
): boolean {
  const callState = findCall(state, call.callId);
  if (callState?.call?.terms.upstream !== call.terms.upstream || callState?.attempts !== attempt - 1) return false;
  const { phase } = callState;
  switch (phase.kind) {
    case 'ready':
    case 'backing-off':
      return true;
    case 'attempting':
      return phase.epoch !== state.epoch;
    case 'resolved':
      return phase.verdict.kind === 'not-happened' && phase.verdict.then === 'retry';
    case 'bound':
    case 'asking':
    case 'answered':
    case 'authorizing':
    case 'doubtful':
    case 'settled':
      return false;
  }
}

/** True for a call whose attempts wait until they are let begin. */
export function needsAdmission({ terms }: Call): boolean {
  return terms.upstream !== undefined || terms.locks !== undefined;
}

/** True for a call that has its locks, and whose upstream has room for it now: it has its turn. */
export function isAdmitted<T extends CallState>(
  state: RunState,
  callState: T,
): callState is T & Required<Pick<T, 'admission'>> {
  const { admission, call, phase } = callState;
  return admission?.epoch === state.epoch && admission.upstream === call?.terms.upstream && phase.kind !== 'settled';
}
