/**
 * A strict reader of the text format 0.0.4: throws for whatever a scraper may refuse or misread. Written from the definition of the format, not from the writer.
 */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/u;
const labelPattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/u;

export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.');
  const families = new Map<string, { name: string; type: string; help: string; samples: Sample[] }>();
  const seen = new Set<string>();
  let current: { name: string; type: string; help: string; samples: Sample[] } | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP (\S+) (.+)$/u.exec(line);
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/u.exec(line);
    if (help !== null) {
      const name = help[1] ?? '';
      if (!namePattern.test(name) || families.has(name)) throw new Error(`HELP twice or wrong: ${line}`);
      current = { name, type: '', help: help[2] ?? '', samples: [] };
      families.set(name, current);
    } else if (type !== null) {
      if (current === undefined || current.name !== type[1] || current.type !== '') {
        throw new Error(`TYPE without its HELP: ${line}`);
      }
      current.type = type[2] ?? '';
    } else {
      const sample = parseSample(line);
      if (current === undefined || current.type === '' || !belongs(sample.name, current)) {
        throw new Error(`Stray: ${line}`);
      }
      const series = `${sample.name}${JSON.stringify(
        Object.entries(sample.labels)
          .map(([label, value]) => `${label}=${value}`)
          .toSorted(),
      )}`;
      if (seen.has(series)) throw new Error(`Twice: ${line}`);
      seen.add(series);
      current.samples.push(sample);
    }
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

/** The samples of a name that have these labels, added up. */
export function sumOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = [...families.values()].find((each) => each.samples.some((sample) => sample.name === name));
  return (family?.samples ?? [])
    .filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);
}

function belongs(name: string, { name: family, type }: Pick<Family, 'name' | 'type'>): boolean {
  return type === 'histogram'
    ? ['_bucket', '_sum', '_count'].some((end) => name === `${family}${end}`)
    : name === family;
}

function parseSample(line: string): Sample {
  const head = /^([^{\s]+)(\{(.*)\})? (\S+)$/u.exec(line);
  const name = head?.[1] ?? '';
  if (head === null || !namePattern.test(name)) throw new Error(`Not a sample: ${line}`);
  const labels: Record<string, string> = {};
  let rest = head[3] ?? '';
  while (rest !== '') {
    const pair = /^([^=]+)="((?:[^"\\]|\\[\\n"])*)"(,(?=.)|$)/u.exec(rest);
    const label = pair?.[1] ?? '';
    if (pair === null || !labelPattern.test(label) || label in labels) throw new Error(`Bad labels: ${line}`);
    labels[label] = (pair[2] ?? '').replaceAll(/\\(.)/gu, (_, character: string) =>
      character === 'n' ? '\n' : character,
    );
    rest = rest.slice(pair[0].length);
  }
  const word = head[4] ?? '';
  const value = word === '+Inf' ? Infinity : Number(word);
  if (word === '' || (Number.isNaN(value) && word !== 'NaN')) throw new Error(`Bad value: ${line}`);
  return { name, labels, value };
}

function checkFamily({ name, type, samples }: Family): void {
  if (type === '') throw new Error(`${name} has no TYPE.`);
  if (type === 'counter' && !name.endsWith('_total')) {
    throw new Error(`${name} is a counter and does not end in _total.`);
  }
  if (type !== 'counter' && name.endsWith('_total')) throw new Error(`${name} ends in _total and is no counter.`);
  if (type === 'counter' && samples.some(({ value }) => value < 0)) throw new Error(`${name} is below 0.`);
  if (type !== 'histogram') return;
  const groups = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: '' }));
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => (labels['le'] === '+Inf' ? Infinity : Number(labels['le'])));
    const rising = (values: readonly number[], strict: boolean): boolean =>
      values.every(
        (value, index) =>
          index === 0 || (strict ? value > (values[index - 1] ?? 0) : value >= (values[index - 1] ?? 0)),
      );
    const count = group.filter((sample) => sample.name === `${name}_count`);
    const sum = group.filter((sample) => sample.name === `${name}_sum`);
    if (!rising(bounds, true) || bounds.at(-1) !== Infinity) throw new Error(`${name}: bounds ${bounds.join(' ')}`);
    if (
      !rising(
        buckets.map(({ value }) => value),
        false,
      )
    ) {
      throw new Error(`${name}: buckets fall`);
    }
    if (count.length !== 1 || sum.length !== 1 || count[0]?.value !== buckets.at(-1)?.value) {
      throw new Error(`${name}: count`);
    }
  }
}
