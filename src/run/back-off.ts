/** The wait between two attempts, of a call as of a question to a model. */
import type { Failure } from '../call/outcome.ts';

/** The shape of a back-off, in milliseconds. */
export interface BackOff {
  readonly baseMs: number;
  readonly capMs: number;
}

/** Between two questions to a model. */
export const modelBackOff: BackOff = { baseMs: 1_000, capMs: 10_000 };

/** Longer waits than a day are not waited for: the attempt before was the last one. */
const maxRetryAfterMs = 86_400_000;

/**
 * How long to wait before the next attempt. What the upstream asked for is honoured to the letter, 0 included; else exponential back-off with full jitter,
 * so that many callers do not come back at once (Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015): a draw from 0 to twice
 * base x 2^(attempt-1), so around 1, 2 and 4 s for a base of 1 s, capped.
 */
export function backOffMs(
  { baseMs, capMs }: BackOff,
  failure: Failure,
  at: { readonly attempt: number; readonly draw: number },
): number | undefined {
  if (failure.retryAfterMs !== undefined) {
    return failure.retryAfterMs <= maxRetryAfterMs ? Math.ceil(failure.retryAfterMs) : undefined;
  }
  const rangeMs = Math.min(capMs, 2 * baseMs * 2 ** (at.attempt - 1));
  return Math.round(at.draw * rangeMs);
}
