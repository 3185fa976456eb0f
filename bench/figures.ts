/** From samples to figures: medians over rounds, ratios within rounds, each held to its bar. */
import type { Sample } from './sample-spec.ts';
import { maxForeignCores } from './take-sample.ts';

/** What a figure is held to, in words that are read by people and by the judge alike. */
export interface Bar {
  readonly sign: '<=' | '<' | '>=';
  readonly limit: number;
}

export interface Figure {
  readonly name: string;
  /** Median over the rounds; null when nothing was measured. */
  readonly value: number | null;
  readonly unit: string;
  /** For example `<= 130`; null for a figure that is only shown. */
  readonly bar: string | null;
  /** Whether the bar is met; null when there is none, or when it was not judged. */
  readonly ok: boolean | null;
  /** Why a figure with a bar was not judged. */
  readonly reason?: string;
  readonly low?: number;
  readonly high?: number;
}

/** The samples of every round, by id. A round that lacks one was not able to take it. */
export type Rounds = readonly ReadonlyMap<string, Sample>[];

/** A value of a sample: which sample, which of its measurements, which value. */
export interface Source {
  readonly id: string;
  readonly load?: number;
  readonly value: string;
}

export interface FigureOptions {
  readonly name: string;
  readonly unit: string;
  readonly bar?: Bar;
  /**
   * `timed`: judged only by quiet rounds of full size. `sized`: the same in any noise, but judged only at full size, since what a run costs once is then spread
   * over its turns. `counted`: always judged.
   * @defaultValue 'timed'
   */
  readonly kind?: 'timed' | 'sized' | 'counted';
}

interface Reading {
  readonly value: number;
  readonly isQuiet: boolean;
}

export class FigureMaker {
  readonly #rounds: Rounds;
  readonly #whyNotSized: string | undefined;
  readonly #neededRounds: number;

  /** `whyNotSized` says why these rounds can only be counted, if so. */
  constructor(rounds: Rounds, about: { readonly whyNotSized?: string | undefined; readonly neededRounds: number }) {
    this.#rounds = rounds;
    this.#whyNotSized = about.whyNotSized;
    this.#neededRounds = about.neededRounds;
  }

  value(options: FigureOptions, source: Source, map: (value: number) => number = same): Figure {
    return this.#judge(
      options,
      this.#rounds.flatMap((round) => readings(round, [source], ([value = Number.NaN]) => map(value))),
    );
  }

  /** The ratio of two values of the same round. */
  ratio(options: FigureOptions, above: Source, below: Source): Figure {
    return this.combined(options, [above, below], ([left = Number.NaN, right = Number.NaN]) => left / right);
  }

  /** Any function of several values of the same round. */
  combined(options: FigureOptions, sources: readonly Source[], map: (values: readonly number[]) => number): Figure {
    return this.#judge(
      options,
      this.#rounds.flatMap((round) => readings(round, sources, map)),
    );
  }

  #judge(options: FigureOptions, all: readonly Reading[]): Figure {
    const { name, unit, bar, kind = 'timed' } = options;
    const quiet = kind === 'timed' ? all.filter((reading) => reading.isQuiet) : all;
    const used = (quiet.length > 0 ? quiet : all).map((reading) => reading.value).sort((left, right) => left - right);
    const value = medianOf(used);
    const named = { name, value, unit, bar: bar === undefined ? null : `${bar.sign} ${bar.limit}` };
    const spread = used.length > 1 ? { low: used[0] ?? 0, high: used.at(-1) ?? 0 } : {};
    if (bar === undefined) return { ...named, ok: null, ...spread };
    const reason = this.#whyNotJudged(kind, { measured: all.length, quiet: quiet.length });
    if (reason !== undefined || value === null) {
      return { ...named, ok: null, ...spread, reason: `not judged: ${reason ?? 'it was not measured'}` };
    }
    return { ...named, ok: meets(value, bar), ...spread };
  }

  #whyNotJudged(
    kind: 'timed' | 'sized' | 'counted',
    rounds: { readonly measured: number; readonly quiet: number },
  ): string | undefined {
    if (rounds.measured === 0) return 'it was not measured';
    if (kind === 'counted') return undefined;
    if (this.#whyNotSized !== undefined) return this.#whyNotSized;
    if (kind === 'sized' || rounds.quiet >= this.#neededRounds) return undefined;
    return `${rounds.quiet} of ${rounds.measured} rounds were quiet (others took at most ${maxForeignCores} of a processor), not ${this.#neededRounds}`;
  }
}

function readings(
  round: ReadonlyMap<string, Sample>,
  sources: readonly Source[],
  map: (values: readonly number[]) => number,
): readonly Reading[] {
  const values: number[] = [];
  let isQuiet = true;
  for (const { id, load = 0, value } of sources) {
    const measurement = round.get(id)?.[load];
    const found = measurement?.values[value];
    if (measurement === undefined || found === undefined) return [];
    values.push(found);
    isQuiet &&= measurement.foreignCores !== null && measurement.foreignCores <= maxForeignCores;
  }
  return [{ value: map(values), isQuiet }];
}

export function meets(value: number, { sign, limit }: Bar): boolean {
  switch (sign) {
    case '<=':
      return value <= limit;
    case '<':
      return value < limit;
    case '>=':
      return value >= limit;
  }
}

/** The middle of sorted values; the mean of the two in the middle of an even number. */
export function medianOf(sorted: readonly number[]): number | null {
  if (sorted.length === 0) return null;
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

function same(value: number): number {
  return value;
}
