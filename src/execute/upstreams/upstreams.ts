/**
 * The port to upstreams: who may call a service behind tools, and when. A permit is asked for before an attempt is announced, and given back when it has ended.
 * One suite (`test/upstreams/upstreams-suite.ts`) runs against every implementation.
 *
 * U1 At no time do more attempts hold a permit than `concurrency`; in no stretch of time are more given than `burst` and what the rate brings in it.
 * U2 Calls that wait are served in turn over runs, those of one run in their order. (T6)
 * U3 Who waits leaves at once when its signal aborts, and is refused with a code when the queue is full, the wait too long, or the breaker opens.
 * U4 While the breaker is open no permit is given; half-open, one at a time, until a call has shown how the upstream does. (T4)
 * U5 Before the time that an upstream asked for (`Retry-After`) nobody gets a permit.
 * U6 What a restart loses it loses towards safety: an open breaker is open until its time, a bucket whose last state is not known is empty. (R22)
 */
import type { AttemptResult, Failure } from '../../call/outcome.ts';
import type { BreakerKind } from '../../journal/upstream-entries.ts';
import type { KeptUpstream, UpstreamAction } from '../../journal/store.ts';

/** Who asks for a permit. */
export interface AdmissionRequest {
  readonly upstream: string;
  /** Whose turn it is: calls are served in turn over runs. */
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
  /** How long the attempt may take, in milliseconds: an implementation that outlives its callers takes a permit back some time after it. */
  readonly timeoutMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** The right to one attempt. Plain data: whoever has it gives it back. */
export interface Permit {
  readonly upstream: string;
  readonly id: string;
  readonly isProbe: boolean;
}

/** A breaker that changed. */
export interface BreakerChange {
  readonly from: BreakerKind;
  readonly to: BreakerKind;
  readonly reason: string;
  readonly untilMs?: number;
}

/** What an answer of the port brings besides. */
export interface Aftermath {
  /** In order; empty nearly always. */
  readonly changes: readonly BreakerChange[];
  /** What the store has to keep with the entries that tell of it; absent when nothing has to outlive the process. */
  readonly keep?: KeptUpstream;
}

export type Admission = Aftermath &
  (
    | { readonly kind: 'admitted'; readonly permit: Permit; readonly waitedMs: number }
    | { readonly kind: 'refused'; readonly failure: Failure; readonly waitedMs: number }
    /** The signal aborted first. */
    | { readonly kind: 'left' }
  );

/**
 * How an attempt ended, as its upstream is judged: `answered`, whatever it answered; `failed` by the upstream's fault; `unknown` when nothing can be said
 * of it, as of an attempt that was cancelled or never began.
 */
export type AttemptEnd = { readonly kind: 'answered' | 'failed' | 'unknown'; readonly retryAfterMs?: number };

/** An upstream as people see it. */
export interface UpstreamView {
  readonly name: string;
  readonly breaker: {
    readonly kind: BreakerKind;
    readonly sinceMs: number;
    /** When the next call may try; absent for an open breaker that only a person closes, and for one that is not open. */
    readonly untilMs?: number;
    readonly reason: string;
  };
  /** Until when the upstream asked to be left alone. */
  readonly pausedUntilMs?: number;
  /** Absent where no driver is asked. */
  readonly live?: { readonly inFlight: number; readonly waiting: number; readonly tokens?: number };
  /** The last changes of the breaker, newest first. */
  readonly changes: readonly (BreakerChange & { readonly atMs: number })[];
}

/** What a person asks for. */
export interface UpstreamOrder {
  readonly name: string;
  /** `open` until somebody closes it; `close` and let it go on by itself; `reset` also forgets failures and what the upstream asked for. */
  readonly action: UpstreamAction;
  readonly by?: string;
  readonly reason?: string;
}

/** What people may see and do. */
export interface UpstreamControl {
  list(): Promise<readonly UpstreamView[]>;
  /** Durable when it resolves. @throws AxleError `upstream-unknown` */
  order(order: UpstreamOrder): Promise<UpstreamView>;
}

export interface Upstreams extends UpstreamControl {
  /** Resolves when the call may begin, or may not. Never rejects for what is expected. */
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Gives a permit back, once; a second time does nothing. */
  release(permit: Permit, end: AttemptEnd): Promise<Aftermath>;
  close(): Promise<void>;
}

/**
 * Judges an attempt by its result: only what time may mend is the upstream's fault. What it asked of the caller is an answer; that it asked for fewer
 * requests says nothing about its health.
 */
export function endOf(result: AttemptResult, wasAborted: boolean): AttemptEnd {
  if (result.status === 'succeeded') return { kind: 'answered' };
  const { code, class: errorClass, retryAfterMs } = result.failure;
  const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (wasAborted && code !== 'tool-timed-out') return { kind: 'unknown', ...asked };
  if (code === 'upstream-rate-limited' || code === 'call-cancelled' || code === 'call-interrupted') {
    return { kind: 'unknown', ...asked };
  }
  return { kind: errorClass === 'retryable' ? 'failed' : 'answered', ...asked };
}
