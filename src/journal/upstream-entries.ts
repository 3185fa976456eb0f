/** The entries that tell of upstreams: who was let begin, who was not, and what a breaker did over a call. */
import type { Failure } from '../call/outcome.ts';

/** An attempt may begin: it has its locks, and its upstream has room for it. It counts for the epoch that wrote it alone; under a later one the call is admitted anew. */
export interface CallAdmitted {
  readonly type: 'call-admitted';
  readonly callId: string;
  /** The attempt that may begin. */
  readonly attempt: number;
  /** Absent for a tool without limits and breaker. */
  readonly upstream?: string;
  /** Names of the locks that it has taken. Absent: none. */
  readonly locks?: readonly string[];
  /** Time in queues, in milliseconds. */
  readonly waitedMs: number;
  /** It is the one call that finds out whether a half-open upstream is well again. */
  readonly probe?: true;
}
/** An attempt may not begin now: nothing was sent. */
export interface AdmissionRefused {
  readonly type: 'admission-refused';
  readonly callId: string;
  readonly attempt: number;
  /** The upstream that refused it; absent where it was a lock. */
  readonly upstream?: string;
  /** The lock that it could not have. */
  readonly lock?: string;
  readonly waitedMs: number;
  readonly failure: Failure;
}
export const breakerKinds = ['closed', 'open', 'half-open'] as const;

export type BreakerKind = (typeof breakerKinds)[number];

/** The breaker of an upstream changed over this call: over its result, or since it came when another try was due. */
export interface BreakerChanged {
  readonly type: 'breaker-changed';
  readonly callId: string;
  readonly upstream: string;
  readonly from: BreakerKind;
  readonly to: BreakerKind;
  readonly reason: string;
  /** When an open breaker lets the next call try. */
  readonly untilMs?: number;
}
