/**
 * From milliseconds to columns. An approval that waits a night would leave the work of a run no column to be seen in, so time in which nothing works is
 * drawn shorter than it was.
 *
 * A1 Never backwards: a later time has the same column or a later one.
 * A2 Time at work is drawn to one scale. A stretch without work has the same scale, but takes at most a third of what all work takes, and all such
 *    stretches that are cut short together at most as much as all work.
 */

export interface TimeAxis {
  /** The column of a time, from 0 to `columns`. */
  at(ms: number): number;
  /** True when some time without work is drawn shorter than it was. */
  readonly isFolded: boolean;
}

interface Piece {
  readonly startMs: number;
  readonly endMs: number;
  /** What the piece takes on the axis, in milliseconds of work. */
  readonly drawnMs: number;
}

export interface AxisSpan {
  readonly startMs: number;
  readonly endMs: number;
  /** Until when the span was certainly at work; equal to `startMs` for waits and gaps. */
  readonly busyUntilMs: number;
}

/** An axis over all spans. */
export function timeAxis(spans: readonly AxisSpan[], columns: number): TimeAxis {
  const pieces = fold(piecesOf(spans));
  const totalMs = pieces.reduce((sum, piece) => sum + piece.drawnMs, 0);
  const isFolded = pieces.some((piece) => piece.drawnMs < piece.endMs - piece.startMs);
  const at = (ms: number): number => {
    let drawnMs = 0;
    for (const piece of pieces) {
      if (ms >= piece.endMs) drawnMs += piece.drawnMs;
      else if (ms > piece.startMs) drawnMs += (piece.drawnMs * (ms - piece.startMs)) / (piece.endMs - piece.startMs);
    }
    return totalMs === 0 ? 0 : (drawnMs / totalMs) * columns;
  };
  return { at, isFolded };
}

type Stretch = Piece & { readonly isBusy: boolean };

/** Stretches at work and without, in order, from the first start to the last end; those without are parted wherever a span begins or ends. */
function piecesOf(spans: readonly AxisSpan[]): readonly Stretch[] {
  const boundaries = [...new Set(spans.flatMap((span) => [span.startMs, span.busyUntilMs, span.endMs]))].toSorted(
    (a, b) => a - b,
  );
  const busy = spans.filter((span) => span.busyUntilMs > span.startMs).toSorted((a, b) => a.startMs - b.startMs);
  const pieces: Stretch[] = [];
  let next = 0;
  let busyUntilMs = -Infinity;
  boundaries.forEach((startMs, index) => {
    const endMs = boundaries[index + 1];
    for (let span = busy[next]; span !== undefined && span.startMs <= startMs; span = busy[next]) {
      busyUntilMs = Math.max(busyUntilMs, span.busyUntilMs);
      next += 1;
    }
    if (endMs !== undefined) pieces.push({ startMs, endMs, drawnMs: endMs - startMs, isBusy: busyUntilMs > startMs });
  });
  return pieces;
}

function fold(pieces: readonly Stretch[]): readonly Piece[] {
  const busyMs = pieces.reduce((sum, piece) => (piece.isBusy ? sum + piece.drawnMs : sum), 0);
  const quiet = pieces.filter((piece) => !piece.isBusy);
  if (busyMs === 0 || quiet.length === 0) return pieces;
  const longCount = quiet.filter((piece) => piece.drawnMs > busyMs / 3).length;
  const mostMs = busyMs / Math.max(3, longCount);
  return pieces.map((piece) => (piece.isBusy ? piece : { ...piece, drawnMs: Math.min(piece.drawnMs, mostMs) }));
}
