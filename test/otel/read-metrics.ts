/** Metrics out of the body of an `ExportMetricsServiceRequest`. */
import { attributesOf, double, list, long, nano, node, text, whole } from './read-otlp.ts';

export interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly atNano: bigint;
  /** Of a gauge there is none. */
  readonly sinceNano: bigint | undefined;
  /** The value; of a histogram the sum. */
  readonly value: number;
  readonly count: bigint;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly points: readonly ReceivedPoint[];
}

export interface MetricsBatch {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly schemaUrl: string;
  readonly metrics: readonly ReceivedMetric[];
}

export function readMetrics(body: unknown): readonly MetricsBatch[] {
  return list(node(body, ['resourceMetrics'])['resourceMetrics']).map((each) => {
    const { resource, scopeMetrics, schemaUrl } = node(each, ['resource', 'scopeMetrics', 'schemaUrl']);
    const metrics = list(scopeMetrics).flatMap((scoped) => {
      const scope = node(scoped, ['scope', 'metrics', 'schemaUrl']);
      text(node(scope['scope'], ['name', 'version'])['name']);
      if (scope['schemaUrl'] !== schemaUrl) throw new Error('two schemas');
      return list(scope['metrics']).map(metricOf);
    });
    const names = metrics.map(({ name }) => name);
    if (new Set(names).size !== names.length) throw new Error('a metric twice in one request');
    return {
      resource: attributesOf(node(resource, ['attributes'])['attributes']),
      schemaUrl: new URL(text(schemaUrl)).href,
      metrics,
    };
  });
}

const kinds = ['gauge', 'sum', 'histogram'] as const;
const cumulative = 2;

function metricOf(value: unknown): ReceivedMetric {
  const metric = node(value, ['name', 'description', 'unit', ...kinds]);
  const name = text(metric['name']);
  if (!/^[a-zA-Z][\w./-]{0,254}$/u.test(name)) throw new Error(`no name of a metric: ${name}`);
  const unit = text(metric['unit']);
  if (unit === '' || text(metric['description']) === '') throw new Error(`${name} says too little`);
  const [kind, ...more] = kinds.filter((each) => metric[each] !== undefined);
  if (kind === undefined || more.length > 0) throw new Error(`${name} is not of one kind`);
  const data = node(metric[kind], ['dataPoints', ...dataFields[kind]]);
  if (kind !== 'gauge' && whole(data['aggregationTemporality'], 2) !== cumulative) throw new Error('not cumulative');
  if (kind === 'sum' && data['isMonotonic'] !== true) throw new Error(`${name} may fall`);
  const points = list(data['dataPoints']).map((point) =>
    kind === 'histogram' ? histogramOf(point) : numberOf(point, kind),
  );
  if (points.length === 0) throw new Error(`${name} has no points`);
  const series = points.map(({ attributes }) =>
    Object.entries(attributes)
      .map((pair) => JSON.stringify(pair))
      .toSorted()
      .join(','),
  );
  if (new Set(series).size !== series.length) throw new Error(`${name} has two points of one series`);
  return { name, unit, kind, points };
}

const dataFields = {
  gauge: [],
  sum: ['aggregationTemporality', 'isMonotonic'],
  histogram: ['aggregationTemporality'],
} as const;

function numberOf(value: unknown, kind: 'gauge' | 'sum'): ReceivedPoint {
  const point = node(value, ['attributes', 'startTimeUnixNano', 'timeUnixNano', 'asInt', 'asDouble']);
  const [int, other] = [point['asInt'], point['asDouble']];
  if ((int === undefined) === (other === undefined)) throw new Error('not one value');
  const found = int === undefined ? double(other) : Number(long(int));
  if (kind === 'sum' && found < 0) throw new Error('below 0');
  return { attributes: attributesOf(point['attributes']), ...timesOf(point, kind), value: found, count: 1n };
}

function histogramOf(value: unknown): ReceivedPoint {
  const point = node(value, [
    'attributes',
    'startTimeUnixNano',
    'timeUnixNano',
    'count',
    'sum',
    'bucketCounts',
    'explicitBounds',
  ]);
  const bounds = list(point['explicitBounds']).map(double);
  const counts = list(point['bucketCounts']).map(long);
  const count = long(point['count']);
  if (counts.length !== bounds.length + 1) throw new Error('not a bucket between each two bounds');
  if (bounds.some((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? bound))) throw new Error('bounds fall');
  if (counts.some((each) => each < 0n) || counts.reduce((sum, each) => sum + each, 0n) !== count) {
    throw new Error('the buckets are not what was counted');
  }
  return {
    attributes: attributesOf(point['attributes']),
    ...timesOf(point, 'histogram'),
    value: double(point['sum']),
    count,
  };
}

function timesOf(
  point: Readonly<Record<string, unknown>>,
  kind: ReceivedMetric['kind'],
): Pick<ReceivedPoint, 'atNano' | 'sinceNano'> {
  const atNano = nano(point['timeUnixNano']);
  if (kind === 'gauge') return { atNano, sinceNano: undefined };
  const sinceNano = nano(point['startTimeUnixNano']);
  if (sinceNano > atNano) throw new Error('counted before it began');
  return { atNano, sinceNano };
}
