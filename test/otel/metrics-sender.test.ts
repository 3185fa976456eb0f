import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { agent, createAxle, createMemoryStore, tool, ToolError } from '../../src/axle.ts';
import { type AxleMetrics, createMetrics } from '../../src/metrics.ts';
import { genAiTable } from '../../src/metrics/gen-ai-table.ts';
import { metricTable } from '../../src/metrics/metric-table.ts';
import { Metric } from '../../src/metrics/registry.ts';
import { createMetricsSender } from '../../src/otel.ts';
import { axleMetric, genAiMetric, labelAttribute, schemaUrl } from '../../src/otel/conventions.ts';
import { metricsRequest, otlpMetrics } from '../../src/otel/metrics-json.ts';
import { scriptedBrain } from '../../src/testing.ts';
import { parseExposition } from '../metrics/parse-exposition.ts';
import { type MetricsBatch, readMetrics, type ReceivedMetric } from './read-metrics.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const input = { type: 'object', properties: { n: { type: 'integer' } } };
const read = { description: 'Looks.', effect: 'read', input } as const;
const tools = [
  tool({ ...read, name: 'look', execute: () => 'seen' }),
  tool({
    ...read,
    name: 'crm.break:it',
    execute: () => {
      throw new ToolError({ message: 'No.', code: 'broken', class: 'fatal', effect: 'none' });
    },
  }),
  tool({ name: 'pay', description: 'Pays.', risk: 'high', input, execute: () => 'paid' }),
];
const turns = [
  {
    calls: [
      { name: 'look', input: { n: 1 } },
      { name: 'crm.break:it', input: { n: 2 } },
    ],
  },
  { calls: [{ name: 'pay', input: { n: 2 } }] },
  'Done.',
];

/** All metrics of a process, in one or more requests. */
function named(batches: readonly MetricsBatch[]): ReadonlyMap<string, ReceivedMetric> {
  return new Map(batches.flatMap(({ metrics }) => metrics).map((metric) => [metric.name, metric]));
}

async function receiving(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

/** A run with a question, which is answered, and a call that fails. */
async function work(metrics: AxleMetrics, after: { readonly each: () => Promise<void> }): Promise<void> {
  const clerk = agent({ name: 'clerk', model: scriptedBrain(turns), tools: tools.map(({ name }) => name) });
  const axle = await createAxle({ store: createMemoryStore(), tools, agents: [clerk], observers: [metrics] });
  const run = await axle.start('clerk', { input: 'go' });
  await run.result();
  await after.each();
  const [open] = await axle.approvals.list();
  await axle.approvals.resolve(open?.approvalId ?? '', { decision: 'approve' });
  await run.result({ until: 'ended' });
  await after.each();
  await axle.close();
}

describe('metrics of real runs, sent to a collector', () => {
  let receiver: Receiver;
  /** At the question, at the end of the run, and when everything is closed. */
  let waiting: ReadonlyMap<string, ReceivedMetric>;
  let ended: ReadonlyMap<string, ReceivedMetric>;
  let closed: ReadonlyMap<string, ReceivedMetric>;
  /** What Prometheus was shown at the end of the run. */
  let text: string;
  let dropped: number;

  beforeAll(async () => {
    receiver = await startReceiver();
    const metrics = createMetrics({ version: '1.2.3' });
    const sender = createMetricsSender(metrics, {
      url: receiver.metricsUrl,
      serviceName: 'shop',
      attributes: { 'deployment.environment.name': 'test' },
    });
    const seen: ReadonlyMap<string, ReceivedMetric>[] = [];
    await work(metrics, {
      each: async () => {
        text = await metrics.text();
        await sender.flush();
        seen.push(named(receiver.metrics.splice(0)));
      },
    });
    await sender.close();
    [waiting = new Map(), ended = new Map()] = seen;
    closed = named(receiver.metrics);
    ({ dropped } = sender);
    await receiver.close();
  });

  test('come in the form of the protocol, from a process that can be told', () => {
    expect(receiver.faults).toEqual([]);
    expect(dropped).toBe(0);
    expect(receiver.metrics).toHaveLength(1);
    expect(receiver.metrics[0]).toMatchObject({
      schemaUrl,
      resource: {
        'service.name': 'shop',
        'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/u),
        'deployment.environment.name': 'test',
      },
    });
  });

  test('have the names, units and attributes of the GenAI conventions', () => {
    const pointsOf = (name: string): readonly unknown[] => {
      const metric = ended.get(name);
      return (metric?.points ?? []).map(({ attributes, count, value }) => [
        metric?.unit,
        attributes,
        metric?.kind === 'histogram' ? Number(count) : value,
      ]);
    };
    const model = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'script',
      'gen_ai.request.model': 'script/one',
    };
    expect(pointsOf('gen_ai.client.inference.duration')).toEqual([['s', model, 3]]);
    const inText = { ...model, 'gen_ai.token.modality': 'text' };
    expect(pointsOf('gen_ai.client.inference.usage.input_tokens')).toEqual([['{token}', inText, 30]]);
    expect(pointsOf('gen_ai.client.inference.usage.output_tokens')).toEqual([['{token}', inText, 15]]);
    const calls = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.type': 'function' };
    expect(pointsOf('gen_ai.execute_tool.duration')).toEqual([
      ['s', { ...calls, 'gen_ai.tool.name': 'look' }, 1],
      ['s', { ...calls, 'gen_ai.tool.name': 'crm.break:it', 'error.type': 'broken' }, 1],
      ['s', { ...calls, 'gen_ai.tool.name': 'pay' }, 1],
    ]);
    const clerk = { 'gen_ai.agent.name': 'clerk' };
    expect(pointsOf('gen_ai.invoke_agent.duration')).toEqual([
      ['s', { ...clerk, 'gen_ai.provider.name': 'script', 'gen_ai.request.model': 'script/one' }, 1],
    ]);
    expect(pointsOf('gen_ai.invoke_agent.inference_calls')).toEqual([['{inference_call}', clerk, 1]]);
    expect(pointsOf('gen_ai.invoke_agent.tool_calls')).toEqual([['{tool_call}', clerk, 1]]);
    expect(ended.get('gen_ai.invoke_agent.inference_calls')?.points[0]?.value).toBe(3);
    expect(ended.get('gen_ai.invoke_agent.tool_calls')?.points[0]?.value).toBe(3);
    // The run had not ended when it waited for a person.
    expect(waiting.has('gen_ai.invoke_agent.duration')).toBe(false);
  });

  test('are what Prometheus is shown, in other words', () => {
    const families = parseExposition(text);
    for (const [name, term] of Object.entries(axleMetric)) {
      if (term === undefined || name.startsWith('process_')) continue;
      const family = families.get(name);
      const samples = (family?.samples ?? []).filter((sample) => !/_(?:bucket|sum)$/u.test(sample.name));
      const points = ended.get(term.name)?.points ?? [];
      const found = points.map(({ value, count }) => (family?.type === 'histogram' ? Number(count) : value));
      expect([name, found]).toEqual([name, samples.map(({ value }) => value)]);
    }
  });

  test('are cumulative: counters never fall, and begin where they began', () => {
    for (const [name, { kind, points }] of closed) {
      const before = ended.get(name);
      expect(before?.points.length ?? 0).toBeLessThanOrEqual(points.length);
      for (const [index, { sinceNano, atNano, value }] of points.entries()) {
        const earlier = before?.points[index];
        if (earlier === undefined || kind === 'gauge') continue;
        expect(value).toBeGreaterThanOrEqual(earlier.value);
        expect([sinceNano, atNano >= earlier.atNano]).toEqual([earlier.sinceNano, true]);
      }
    }
  });

  test('have gauges of the store while it is open, and none at the end', () => {
    const valueOf = (metrics: ReadonlyMap<string, ReceivedMetric>): number | undefined =>
      metrics.get('axle.approvals.pending')?.points[0]?.value;
    expect([valueOf(waiting), valueOf(ended), valueOf(closed)]).toEqual([1, 0, undefined]);
    expect([...closed.values()].filter(({ kind }) => kind === 'gauge')).toEqual([]);
    expect(closed.get('axle.runs')?.points).toHaveLength(1);
    expect(closed.get('axle.observer.errors')?.points[0]?.value).toBe(0);
  });
});

describe('a collector that does not take what it is sent', () => {
  test('is tried again when it is busy; what it refuses is given up, counted and told; what was counted comes later', async () => {
    const receiver = await receiving();
    const told: number[] = [];
    const metrics = createMetrics();
    const sender = createMetricsSender(metrics, { url: receiver.metricsUrl, onDropped: (count) => told.push(count) });
    receiver.answers.push(503);
    await sender.flush();
    const sent = receiver.metrics.flatMap((batch) => batch.metrics.flatMap(({ points }) => points)).length;
    expect(receiver.faults).toEqual([]);
    expect(sent).toBeGreaterThan(5);
    expect(told).toEqual([]);
    receiver.answers.push(400);
    await sender.flush();
    expect(told).toEqual([sent]);
    // Taken, but for a part.
    receiver.bodies.push({ partialSuccess: { rejectedDataPoints: '2', errorMessage: 'No.' } });
    await sender.flush();
    expect(told).toEqual([sent, 2]);
    expect(sender.dropped).toBe(sent + 2);
    await work(metrics, { each: async () => {} });
    await sender.close();
    expect(receiver.faults).toEqual([]);
    expect(named(receiver.metrics).get('axle.runs')?.points[0]?.value).toBe(1);
  });

  test('disturbs nobody when it is away', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    const reasons: string[] = [];
    const metrics = createMetrics();
    const sender = createMetricsSender(metrics, {
      url: receiver.metricsUrl,
      onDropped: (_, reason) => {
        reasons.push(String(reason));
        throw new Error('Whoever is told cannot disturb either.');
      },
    });
    await sender.close();
    expect(reasons).toEqual([expect.stringContaining(receiver.metricsUrl)]);
    expect(sender.dropped).toBeGreaterThan(3);
  });

  test('is sent to as often as is asked for, within limits', async () => {
    const receiver = await receiving();
    const sender = createMetricsSender(createMetrics(), { url: receiver.metricsUrl, sendEveryMs: 10 });
    await expect.poll(() => receiver.metrics.length).toBeGreaterThan(1);
    await sender.close();
    for (const sendEveryMs of [9, 3_600_001, Number.NaN]) {
      expect(() => createMetricsSender(createMetrics(), { sendEveryMs })).toThrow(
        expect.objectContaining({ code: 'configuration-invalid' }),
      );
    }
  });
});

describe('names', () => {
  test('of metrics are there once, and so are those of the attributes of every label', () => {
    const terms = [...Object.values(axleMetric), ...Object.values(genAiMetric)];
    const names = terms.flatMap((term) => (term === undefined ? [] : [term.name]));
    expect(new Set(names).size).toBe(names.length);
    const tables = [...Object.values(metricTable), ...Object.values(genAiTable)];
    const labels = new Set(tables.flatMap((declaration) => declaration.labels));
    expect(Object.keys(labelAttribute).toSorted()).toEqual(
      [...labels].toSorted().filter((label) => !unsent.has(label)),
    );
  });

  /** Of tokens, which the conventions count in another way. */
  const unsent = new Set(['direction', 'cache']);

  test('and numbers of others do not make more of it than a metric holds', () => {
    const metric = new Metric({ name: 'tool_duration', help: 'x', type: 'counter', labels: ['tool', 'error'] });
    for (let index = 0; index < 90 * 90; index += 1) {
      metric.add({ tool: `tool-${index % 90}`, error: `error-${Math.floor(index / 90)}` });
    }
    const [sent] = otlpMetrics({ sinceMs: Date.now(), metrics: [metric] }, Date.now());
    const [batch] = readMetrics(JSON.parse(JSON.stringify(metricsRequest(sent === undefined ? [] : [sent], {}))));
    const points = batch?.metrics[0]?.points ?? [];
    expect(points).toHaveLength(2_001);
    const rest = points.find(({ attributes }) => attributes['error.type'] === 'other');
    expect(rest?.value).toBe(90 * 90 - 2_000);
  });
});

describe('the reader of these tests refuses', () => {
  const point = { attributes: [], startTimeUnixNano: '1700000000000000000', timeUnixNano: '1700000001000000000' };
  const sum = (fields: object, data: object = {}): unknown => ({
    name: 'x',
    description: 'x',
    unit: '1',
    sum: { dataPoints: [{ ...point, asInt: '1', ...fields }], aggregationTemporality: 2, isMonotonic: true, ...data },
  });
  const histogram = (fields: object): unknown => ({
    name: 'x',
    description: 'x',
    unit: 's',
    histogram: {
      dataPoints: [{ ...point, count: '2', sum: 3, bucketCounts: ['1', '1'], explicitBounds: [1], ...fields }],
      aggregationTemporality: 2,
    },
  });
  const bodyOf = (metrics: readonly unknown[]): unknown => ({
    resourceMetrics: [
      {
        resource: { attributes: [] },
        scopeMetrics: [{ scope: { name: 'x' }, metrics, schemaUrl }],
        schemaUrl,
      },
    ],
  });

  test('nothing that is right', () => {
    expect(readMetrics(bodyOf([sum({})]))).toHaveLength(1);
    expect(readMetrics(bodyOf([histogram({})]))).toHaveLength(1);
  });

  test.each([
    ['64 bits as a number', [sum({ asInt: 1 })]],
    ['two values', [sum({ asDouble: 1 })]],
    ['a time as a number', [sum({ timeUnixNano: 1_700_000_000_000_000 })]],
    ['another temporality', [sum({}, { aggregationTemporality: 1 })]],
    ['a counter that may fall', [sum({}, { isMonotonic: false })]],
    ['a negative counter', [sum({ asInt: '-1' })]],
    ['an unknown field', [sum({ label: 'x' })]],
    ['a series twice', [sum({}, { dataPoints: [1, 2].map(() => ({ ...point, asInt: '1' })) })]],
    ['a metric twice', [sum({}), sum({})]],
    ['counts as numbers', [histogram({ bucketCounts: [1, 1] })]],
    ['buckets that are not the count', [histogram({ count: '3' })]],
    ['a bucket too few', [histogram({ bucketCounts: ['2'] })]],
  ])('%s', (_, metrics) => {
    expect(() => readMetrics(bodyOf(metrics))).toThrow();
  });
});
