/**
 * When a server that has failed may be started again. Pure: the connection asks, and nobody waits in here. The wait itself
 * belongs to the call that needs the server, as a retry that the journal knows of.
 */

export interface RestartState {
  /** Starts or lives in a row that ended badly. */
  readonly failures: number;
  /** Not before this time, in milliseconds since 1970. */
  readonly notBeforeMs: number;
}

export type StartAdvice =
  | { readonly kind: 'start' }
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'given-up' };

export interface RestartLimits {
  /** Failures in a row, with no answered call in between, after which nobody starts the server any more until `connect()` is called again. */
  readonly maxFailures: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** A life of this length wipes out the failures before it. */
  readonly stableAfterMs: number;
}

export const restartLimits: RestartLimits = {
  maxFailures: 6,
  firstDelayMs: 250,
  maxDelayMs: 30_000,
  stableAfterMs: 60_000,
};

/** For a server on the network: it is somebody else's to bring up again, and to try costs little. */
export const reconnectLimits: RestartLimits = { ...restartLimits, maxFailures: Number.POSITIVE_INFINITY };

/** A server that has not failed. */
export const fresh: RestartState = { failures: 0, notBeforeMs: 0 };

/** What follows a server's end at `nowMs` after a life of `livedMs` (0: it did not even start). The first restart is immediate. */
export function afterFailure(
  state: RestartState,
  end: { readonly nowMs: number; readonly livedMs: number },
  limits = restartLimits,
): RestartState {
  const failures = end.livedMs >= limits.stableAfterMs ? 1 : state.failures + 1;
  const delayMs =
    failures === 1 && end.livedMs > 0 ? 0 : Math.min(limits.maxDelayMs, limits.firstDelayMs * 2 ** (failures - 1));
  return { failures, notBeforeMs: end.nowMs + delayMs };
}

/** Whether the server may be started at `nowMs`. */
export function mayStart(state: RestartState, nowMs: number, limits = restartLimits): StartAdvice {
  if (state.failures >= limits.maxFailures) return { kind: 'given-up' };
  // A clock that was set back must not make the wait longer than any wait can be.
  const forMs = Math.min(state.notBeforeMs - nowMs, limits.maxDelayMs);
  return forMs > 0 ? { kind: 'wait', forMs } : { kind: 'start' };
}

/** What follows an answer: a server that answers calls is no server that cannot run, however often it ends in between. */
export function afterAnswer(state: RestartState): RestartState {
  return state.failures === 0 ? state : fresh;
}
