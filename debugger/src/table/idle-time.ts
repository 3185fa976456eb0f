/** Time of a run in which nothing was at work: it waited for people, for times, or for a driver. */
import { durationOf, type RunTable, startOf } from './run-table.ts';
import type { Span } from './time-scale.ts';

const work = new Set(['attempt', 'verify']);

/** Stretches without work, in order. */
export function idleTime(table: RunTable): readonly Span[] {
  const { columns } = table;
  const isWork = columns.kinds.all.map((kind) => work.has(kind));
  const rows: number[] = [];
  for (let row = 0; row < columns.rowCount; row += 1) if (isWork[columns.kind[row] ?? 0] === true) rows.push(row);
  rows.sort((a, b) => startOf(table, a) - startOf(table, b));
  const idle: Span[] = [];
  let reachedMs = 0;
  for (const row of rows) {
    const fromMs = startOf(table, row);
    if (fromMs > reachedMs) idle.push({ fromMs: reachedMs, toMs: fromMs });
    reachedMs = Math.max(reachedMs, fromMs + durationOf(table, row));
  }
  const endMs = columns.lastMs - columns.startMs;
  if (endMs > reachedMs) idle.push({ fromMs: reachedMs, toMs: endMs });
  return idle;
}

/** A gap is worth leaving out when it is this much of what is shown. */
const leastShare = 0.1;

/** Gaps that can be left out of what is shown, and how much of it they are. */
export function gapsWorthLeavingOut(
  idle: readonly Span[],
  shown: Span,
): { readonly gaps: readonly Span[]; readonly share: number } {
  const wholeMs = shown.toMs - shown.fromMs;
  const gaps = idle.filter(({ fromMs, toMs }) => {
    const seenMs = Math.min(toMs, shown.toMs) - Math.max(fromMs, shown.fromMs);
    return seenMs > 0 && seenMs >= leastShare * wholeMs;
  });
  const idleMs = gaps.reduce(
    (sum, { fromMs, toMs }) => sum + Math.min(toMs, shown.toMs) - Math.max(fromMs, shown.fromMs),
    0,
  );
  return { gaps, share: wholeMs > 0 ? idleMs / wholeMs : 0 };
}
