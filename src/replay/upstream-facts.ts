/** What an upstream or a lock said belongs to a call that waited for it. */
import type { AdmissionRefused, BreakerChanged, CallAdmitted } from '../journal/upstream-entries.ts';
import { wantsAdmission } from '../run/admitted.ts';
import { findCall, type RunState } from '../run/state.ts';
import type { Misfit } from './misfit.ts';

export function upstreamFact(
  entry: CallAdmitted | AdmissionRefused | BreakerChanged,
  state: RunState,
): Misfit | undefined {
  const call = findCall(state, entry.callId)?.call;
  const upstream = call?.terms.upstream;
  // The breaker may change by the end of a call that is settled and gone.
  if (call === undefined && entry.type === 'breaker-changed') return undefined;
  const isByLock = entry.type === 'admission-refused' && entry.lock !== undefined;
  if (call === undefined || (entry.upstream !== upstream && !isByLock)) {
    const message = 'The call does not go to this upstream.';
    return { path: '/upstream', message, ...(upstream === undefined ? {} : { recomputed: upstream }) };
  }
  if (entry.type === 'breaker-changed' || wantsAdmission(state, { call, attempt: entry.attempt })) return undefined;
  return { path: '/attempt', message: 'This attempt was not waiting to be admitted.' };
}
