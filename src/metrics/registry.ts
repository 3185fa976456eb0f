/**
 * A registry of metrics and its text, in the exposition format 0.0.4 that Prometheus reads.
 *
 * M1 The number of series is bounded: a label whose values others choose (tools, models, upstreams) takes 100 of them, and every further one is counted as `other`.
 *    What it takes of several labels together is bounded too: from 2,000 series on, a further one is counted as `other` in all its labels.
 * M2 A metric without labels is there from the beginning, with 0, so that a rate can be taken of its first rise.
 */

/** Values that one label of one metric takes, beside `other`. */
const maxLabelValues = 100;
const maxValueLength = 120;
/** Series of one metric, beside that of `other`. */
const maxSeries = 2_000;
/** Label values of one metric that are known as they are given. */
const maxPlaces = 5_000;
const overflow = 'other';

type Labels = Readonly<Record<string, string>>;

export interface MetricDeclaration {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** Upper bounds in the unit of the metric, rising; for histograms. */
  readonly buckets?: readonly number[];
}

/** Where one series of a metric stands. */
export interface Series {
  /** Values of the labels, in their order. */
  readonly labels: readonly string[];
  /** The value; of a histogram the sum of what was observed. */
  readonly value: number;
  /** How many observations stand in each bucket, the last one for what is above all bounds; absent where there are none. */
  readonly counts: readonly (number | undefined)[];
  /** Observations. */
  readonly count: number;
}

/** The same, to be counted in: for what is counted often, and found once. */
export class CountedSeries implements Series {
  readonly labels: readonly string[];
  readonly #buckets: readonly number[];
  value = 0;
  readonly counts: number[] = [];
  count = 0;

  constructor(labels: readonly string[], buckets: readonly number[]) {
    this.labels = labels;
    this.#buckets = buckets;
  }

  add(by = 1): void {
    this.value += by;
  }

  observe(value: number): void {
    const buckets = this.#buckets;
    let index = 0;
    while (index < buckets.length && value > (buckets[index] ?? Infinity)) index += 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.count += 1;
    this.value += value;
  }
}

/** Where label values as they are given lead to. */
interface Place {
  next?: Map<string, Place>;
  series?: CountedSeries;
}

export class Metric {
  readonly declaration: MetricDeclaration;
  readonly #series = new Map<string, CountedSeries>();
  readonly #values: readonly Set<string>[];
  readonly #places: Place = {};
  #placeCount = 0;

  constructor(declaration: MetricDeclaration) {
    this.declaration = declaration;
    this.#values = declaration.labels.map(() => new Set());
    if (declaration.labels.length === 0) this.at({});
  }

  add(labels: Labels = {}, by = 1): void {
    this.at(labels).value += by;
  }

  set(labels: Labels, value: number): void {
    this.at(labels).value = value;
  }

  observe(labels: Labels, value: number): void {
    this.at(labels).observe(value);
  }

  /** The series of these labels, which is there from now on. What was counted before is found without making anything. */
  at(labels: Labels): CountedSeries {
    let place: Place | undefined = this.#places;
    for (const label of this.declaration.labels) place = place?.next?.get(labels[label] ?? '');
    return place?.series ?? this.#find(labels);
  }

  /** Where each of its series stands now. */
  get series(): Iterable<Series> {
    return this.#series.values();
  }

  /** The lines of this metric. */
  *lines(): Generator<string> {
    const { name, help, type, labels, buckets = [] } = this.declaration;
    yield `# HELP ${name} ${escaped(help)}`;
    yield `# TYPE ${name} ${type}`;
    for (const series of this.#series.values()) {
      const pairs = labels.map((label, index) => `${label}="${quoted(series.labels[index] ?? '')}"`);
      if (type !== 'histogram') {
        yield `${name}${braced(pairs)} ${numberText(series.value)}`;
        continue;
      }
      let below = 0;
      for (const [index, bound] of [...buckets, Infinity].entries()) {
        below += series.counts[index] ?? 0;
        yield `${name}_bucket${braced([...pairs, `le="${numberText(bound)}"`])} ${below}`;
      }
      yield `${name}_sum${braced(pairs)} ${numberText(series.value)}`;
      yield `${name}_count${braced(pairs)} ${series.count}`;
    }
  }

  #find(given: Labels): CountedSeries {
    const labels = this.declaration.labels.map((label, index) => this.#bounded(index, given[label] ?? ''));
    const series =
      this.#series.get(keyOf(labels)) ??
      (this.#series.size < maxSeries ? this.#begin(labels) : this.#rest(labels.length));
    if (this.#placeCount < maxPlaces) this.#remember(given, series);
    return series;
  }

  #remember(given: Labels, series: CountedSeries): void {
    let place = this.#places;
    for (const label of this.declaration.labels) {
      const value = given[label] ?? '';
      place.next ??= new Map();
      const next: Place = place.next.get(value) ?? {};
      place.next.set(value, next);
      place = next;
      this.#placeCount += 1;
    }
    place.series = series;
  }

  #begin(labels: readonly string[]): CountedSeries {
    const series = new CountedSeries(labels, this.declaration.buckets ?? []);
    this.#series.set(keyOf(labels), series);
    return series;
  }

  /** The one for everything that is too much. */
  #rest(labels: number): CountedSeries {
    const rest = Array.from({ length: labels }, () => overflow);
    return this.#series.get(keyOf(rest)) ?? this.#begin(rest);
  }

  #bounded(index: number, value: string): string {
    const taken = this.#values[index];
    const short = value.slice(0, maxValueLength).toWellFormed();
    if (taken === undefined || taken.has(short)) return short;
    if (taken.size >= maxLabelValues) return overflow;
    taken.add(short);
    return short;
  }
}

function keyOf(labels: readonly string[]): string {
  return labels.join('\u0000');
}

/** The metrics as text. */
export function exposition(metrics: Iterable<Metric>): string {
  let text = '';
  for (const metric of metrics) for (const line of metric.lines()) text += `${line}\n`;
  return text;
}

function braced(pairs: readonly string[]): string {
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  return String(value);
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function quoted(text: string): string {
  return escaped(text).replaceAll('"', '\\"');
}
