/** Durations as people write them in a contract. */

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Whole milliseconds of a duration: a number of them, or a text such as `500ms`, `20s`, `2m`, `1h`, `1d`.
 * Undefined when it is neither; the caller knows the field and the range.
 */
export function parseDurationMs(duration: unknown): number | undefined {
  if (typeof duration === 'number') {
    return Number.isFinite(duration) && duration >= 0 ? Math.round(duration) : undefined;
  }
  if (typeof duration !== 'string') return undefined;
  const match = /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/.exec(duration);
  const unitMs = unitsMs[match?.[2] ?? ''];
  return match === null || unitMs === undefined ? undefined : Math.round(Number(match[1]) * unitMs);
}
