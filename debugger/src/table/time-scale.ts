/**
 * From times to places on the axis and back. Places go from 0 to 1 over the part of the time that is shown.
 *
 * A1 Never backwards: a later time has the same place or a later one.
 * A2 With idle time left out, each gap keeps a narrow place of its own, so that it is seen and can be pointed at; all other time has one scale.
 * A3 `toMs` undoes `toPlace` for every time that is shown.
 */

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TimeScale {
  readonly shown: Span;
  /** Gaps that are left out, as far as they are in what is shown. */
  readonly gaps: readonly Span[];
  /** The place of a time; before 0 and after 1 for what is not shown. */
  readonly toPlace: (ms: number) => number;
  readonly toMs: (place: number) => number;
}

/** How much of the axis a gap that is left out takes. */
const gapShare = 0.02;

interface Piece {
  readonly fromMs: number;
  readonly toMs: number;
  readonly fromPlace: number;
  readonly toPlace: number;
}

export function timeScale(shown: Span, leftOut: readonly Span[] = []): TimeScale {
  const gaps = leftOut
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, shown.fromMs), toMs: Math.min(toMs, shown.toMs) }))
    .filter(({ fromMs, toMs }) => toMs > fromMs);
  const pieces = piecesOf(shown, gaps);
  return {
    shown,
    gaps,
    toPlace: (ms) => {
      const piece = pieces[pieceAt(pieces, (each) => each.fromMs <= ms)];
      if (piece === undefined) return 0;
      const lengthMs = piece.toMs - piece.fromMs;
      return piece.fromPlace + ((ms - piece.fromMs) / lengthMs) * (piece.toPlace - piece.fromPlace);
    },
    toMs: (place) => {
      const piece = pieces[pieceAt(pieces, (each) => each.fromPlace <= place)];
      if (piece === undefined) return shown.fromMs;
      const length = piece.toPlace - piece.fromPlace;
      return piece.fromMs + ((place - piece.fromPlace) / length) * (piece.toMs - piece.fromMs);
    },
  };
}

function piecesOf(shown: Span, gaps: readonly Span[]): readonly Piece[] {
  const wholeMs = Math.max(shown.toMs - shown.fromMs, Number.MIN_VALUE);
  const idleMs = gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const workedMs = wholeMs - idleMs;
  const gapLength = gaps.length === 0 ? 0 : workedMs <= 0 ? 1 / gaps.length : Math.min(gapShare, 0.5 / gaps.length);
  const perMs = workedMs <= 0 ? 0 : (1 - gapLength * gaps.length) / workedMs;
  const pieces: Piece[] = [];
  let fromMs = shown.fromMs;
  let fromPlace = 0;
  const add = (toMs: number, length: number): void => {
    if (toMs > fromMs) pieces.push({ fromMs, toMs, fromPlace, toPlace: fromPlace + length });
    fromPlace += toMs > fromMs ? length : 0;
    fromMs = toMs;
  };
  for (const gap of gaps) {
    add(gap.fromMs, (gap.fromMs - fromMs) * perMs);
    add(gap.toMs, gapLength);
  }
  add(shown.toMs, (shown.toMs - fromMs) * perMs);
  return pieces.length > 0 ? pieces : [{ fromMs: shown.fromMs, toMs: shown.fromMs + 1, fromPlace: 0, toPlace: 1 }];
}

/** The last piece for which it holds, the first when it holds for none. */
function pieceAt(pieces: readonly Piece[], holds: (piece: Piece) => boolean): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const piece = pieces[middle];
    if (piece !== undefined && holds(piece)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** `fromMs..toMs`, as the address has it. */
export function parseZoom(text: string | undefined): Span | undefined {
  const [from, to, rest] = (text ?? '').split('..').map((part) => (part === '' ? Number.NaN : Number(part)));
  if (from === undefined || to === undefined || rest !== undefined) return undefined;
  return Number.isFinite(from) && Number.isFinite(to) && to > from ? { fromMs: from, toMs: to } : undefined;
}

export function writeZoom({ fromMs, toMs }: Span): string {
  const short = (ms: number): string => String(Math.round(ms * 1_000) / 1_000);
  return `${short(fromMs)}..${short(toMs)}`;
}

/** Smallest stretch of time that can be looked at. */
const shortestMs = 0.01;

/** Nearer (`factor` < 1) or farther around a time, within the whole. Undefined when that is the whole. */
export function zoomed(
  shown: Span,
  whole: Span,
  change: { readonly factor: number; readonly aroundMs: number },
): Span | undefined {
  const { factor, aroundMs } = change;
  const lengthMs = Math.max(shortestMs, (shown.toMs - shown.fromMs) * factor);
  const share = (aroundMs - shown.fromMs) / (shown.toMs - shown.fromMs);
  return within({ fromMs: aroundMs - lengthMs * share, toMs: aroundMs + lengthMs * (1 - share) }, whole);
}

/** The span moved into the whole; undefined when it covers it. */
export function within({ fromMs, toMs }: Span, whole: Span): Span | undefined {
  const lengthMs = toMs - fromMs;
  if (lengthMs >= whole.toMs - whole.fromMs) return undefined;
  const from = Math.max(whole.fromMs, Math.min(fromMs, whole.toMs - lengthMs));
  return { fromMs: from, toMs: from + lengthMs };
}

/** Steps that people count time in. */
const stepsMs = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000,
  15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000,
  43_200_000, 86_400_000,
];

export interface Tick {
  readonly ms: number;
  readonly place: number;
}

/** Round times, at most about `most` of them, none inside a gap that is left out. */
export function ticksOf(scale: TimeScale, most: number): { readonly stepMs: number; readonly ticks: readonly Tick[] } {
  const { shown, gaps } = scale;
  const idleMs = gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const wantedMs = Math.max(shown.toMs - shown.fromMs - idleMs, Number.MIN_VALUE) / Math.max(1, most);
  const days = Math.ceil(wantedMs / 86_400_000) * 86_400_000;
  const stepMs = stepsMs.find((each) => each >= wantedMs) ?? days;
  const ticks: Tick[] = [];
  let lastPlace = -1;
  for (const piece of workedPieces(scale)) {
    for (let count = Math.ceil(piece.fromMs / stepMs); count * stepMs <= piece.toMs; count += 1) {
      const ms = count * stepMs;
      const place = scale.toPlace(ms);
      // Two stretches of work beside a narrow gap may each bring a tick.
      if (place - lastPlace < 0.5 / Math.max(1, most)) continue;
      lastPlace = place;
      ticks.push({ ms, place });
    }
  }
  return { stepMs, ticks };
}

function workedPieces({ shown, gaps }: TimeScale): readonly Span[] {
  const pieces: Span[] = [];
  let fromMs = shown.fromMs;
  for (const gap of gaps) {
    pieces.push({ fromMs, toMs: gap.fromMs });
    ({ toMs: fromMs } = gap);
  }
  return [...pieces, { fromMs, toMs: shown.toMs }];
}

/** The end of an axis that grows: it stands still until the time reaches it, then takes the next round length. */
export function grownEnd(lastMs: number): number {
  if (lastMs <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(lastMs));
  const factor = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((each) => each * power >= lastMs * 1.01) ?? 12.5;
  return factor * power;
}
