/** One figure of the debugger, held to its bar: at most this much. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bar: number;
  readonly ok: boolean;
}

export function atMost(
  name: string,
  value: number,
  { bar, unit }: { readonly bar: number; readonly unit: string },
): Figure {
  const rounded = Math.round(value * 10) / 10;
  return { name, value: rounded, unit, bar, ok: value <= bar };
}

/** The value that 95 of 100 do not exceed. */
export function p95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? Number.POSITIVE_INFINITY;
}
