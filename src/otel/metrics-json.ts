/** Metrics as the body of a request of OTLP over HTTP, in JSON (`ExportMetricsServiceRequest`). Counters and histograms are cumulative, since the beginning of counting. */
import type { MetricsReading } from '../metrics/create-metrics.ts';
import { defined } from '../util/defined.ts';
import { attribute, axleMetric, genAiMetric, labelAttribute, type MetricTerm, schemaUrl } from './conventions.ts';
import { attributeList, nanos, type OtelResource, resourceOf, scope } from './otlp-json.ts';
import { providerOf } from './provider-of.ts';

const cumulative = 2;

type Reading = MetricsReading['metrics'][number];
type Series = Reading['series'] extends Iterable<infer Each> ? Each : never;

/** One metric of the protocol. */
export interface OtlpMetric {
  readonly points: number;
  readonly json: unknown;
}

const terms: Readonly<Record<string, MetricTerm | undefined>> = { ...axleMetric, ...genAiMetric };

/** Everything that has been counted, and has a name of its own in the conventions. */
export function otlpMetrics({ sinceMs, metrics }: MetricsReading, atMs: number): readonly OtlpMetric[] {
  const times = { startTimeUnixNano: nanos(sinceMs), timeUnixNano: nanos(atMs) };
  return metrics.flatMap((reading) => {
    const term = terms[reading.declaration.name];
    if (term === undefined) return [];
    const points = [...reading.series].map((series) => pointOf(series, { reading, term, times }));
    if (points.length === 0) return [];
    const { help } = reading.declaration;
    const json = { name: term.name, description: help, unit: term.unit, ...dataOf(reading, points) };
    return [{ points: points.length, json }];
  });
}

export function metricsRequest(metrics: readonly OtlpMetric[], resource: OtelResource): unknown {
  const scopeMetrics = [{ scope, metrics: metrics.map(({ json }) => json), schemaUrl }];
  return { resourceMetrics: [{ resource: resourceOf(resource), scopeMetrics, schemaUrl }] };
}

function dataOf({ declaration }: Reading, dataPoints: readonly unknown[]): Readonly<Record<string, unknown>> {
  switch (declaration.type) {
    case 'gauge':
      return { gauge: { dataPoints } };
    case 'counter':
      return { sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true } };
    case 'histogram':
      return { histogram: { dataPoints, aggregationTemporality: cumulative } };
  }
}

interface PointOptions {
  readonly reading: Reading;
  readonly term: MetricTerm;
  readonly times: { readonly startTimeUnixNano: string; readonly timeUnixNano: string };
}

function pointOf(series: Series, { reading: { declaration }, term, times }: PointOptions): unknown {
  const attributes = attributeList(attributesOf(declaration.labels, series, term));
  if (declaration.type === 'gauge') {
    return { attributes, timeUnixNano: times.timeUnixNano, ...numberOf(series.value, term) };
  }
  if (declaration.type === 'counter') return { attributes, ...times, ...numberOf(series.value, term) };
  const { buckets = [] } = declaration;
  return {
    attributes,
    ...times,
    count: String(series.count),
    sum: series.value,
    bucketCounts: Array.from({ length: buckets.length + 1 }, (_, index) => String(series.counts[index] ?? 0)),
    explicitBounds: buckets,
  };
}

/** All points of a metric are of one type: seconds have fractions, everything else is counted. */
function numberOf(value: number, { unit }: MetricTerm): Readonly<Record<string, unknown>> {
  return unit === 's' ? { asDouble: value } : { asInt: String(Math.round(value)) };
}

/** A label without a value is none. */
function attributesOf(
  labels: readonly string[],
  series: Series,
  { attributes = {}, labels: own = {} }: MetricTerm,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = { ...attributes };
  for (const [index, label] of labels.entries()) {
    const value = series.labels[index] ?? '';
    if (value !== '') found[own[label] ?? labelAttribute[label] ?? label] = value;
  }
  return { ...found, ...defined({ [attribute.provider]: providerOf(found[attribute.requestModel]) }) };
}
