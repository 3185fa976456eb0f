/** How long a service asks to wait, by the headers of its response. */

/** Longer waits than a timer can take (366 days) are cut to that. */
const maxWaitMs = 366 * 24 * 60 * 60 * 1_000;

/**
 * Reads `retry-after-ms`, or else `Retry-After` in seconds or as an HTTP date. 0 is an answer: try again at once.
 * A date is measured against the `Date` of the same response where there is one, so that a clock that is wrong here does no harm.
 *
 * @returns Milliseconds, or undefined when the response does not say or says something unreadable.
 */
export function retryAfterMs(
  headers: Pick<ReadonlyMap<string, string>, 'get'>,
  nowMs: number | undefined,
): number | undefined {
  const exact = numberOf(headers.get('retry-after-ms'));
  if (exact !== undefined) return bounded(exact);
  const value = headers.get('retry-after');
  const seconds = numberOf(value);
  if (seconds !== undefined) return bounded(seconds * 1_000);
  const dueAtMs = dateOf(value);
  if (dueAtMs === undefined) return undefined;
  const sinceMs = dateOf(headers.get('date')) ?? nowMs;
  return sinceMs === undefined ? undefined : bounded(dueAtMs - sinceMs);
}

function numberOf(value: string | undefined): number | undefined {
  const text = value?.trim() ?? '';
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function dateOf(value: string | undefined): number | undefined {
  // Only dates that begin with a weekday, as HTTP writes them: `Date.parse` also takes "5" for a month.
  if (value === undefined || !/^\s*[A-Z][a-z]{2,8},? /.test(value)) return undefined;
  // oxlint-disable-next-line no-restricted-globals -- to read a date that somebody wrote is to read no clock.
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

function bounded(ms: number): number {
  return Math.min(maxWaitMs, Math.max(0, Math.ceil(ms)));
}
