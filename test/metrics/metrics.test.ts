import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { agent, createAxle, createMemoryStore, tool, ToolError } from '../../src/axle.ts';
import { type AxleMetrics, createMetrics, metricsContentType } from '../../src/metrics.ts';
import { metricTable } from '../../src/metrics/metric-table.ts';
import { exposition, Metric } from '../../src/metrics/registry.ts';
import { scriptedBrain } from '../../src/testing.ts';
import { readText } from '../house/imports.ts';
import { codeWords, tableRows } from '../house/markdown.ts';
import { type Family, parseExposition, sumOf } from './parse-exposition.ts';

const input = { type: 'object', properties: { n: { type: 'integer' } } };
let failures = 0;
const tools = [
  tool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    retry: { attempts: 3, baseMs: 1, capMs: 1 },
    limits: { concurrency: 2 },
    input,
    execute: () => {
      failures += 1;
      if (failures === 1) throw new ToolError({ message: 'Busy.', code: 'busy', class: 'retryable', effect: 'none' });
      return { seen: true };
    },
  }),
  tool({
    name: 'crm.break:it',
    description: 'Breaks.',
    effect: 'idempotent',
    input,
    execute: () => {
      throw new ToolError({ message: 'No.', code: 'broken', class: 'fatal', effect: 'none' });
    },
  }),
  tool({ name: 'pay', description: 'Pays.', risk: 'high', input, execute: () => 'paid' }),
];
const turns = [
  {
    calls: [
      { name: 'look', input: { n: '1' } },
      { name: 'look', input: { n: 'x' } },
    ],
  },
  { calls: [{ name: 'crm.break:it', input: {} }] },
  { calls: [{ name: 'pay', input: { n: 2 } }] },
  'done',
];

interface Scraped {
  readonly type: string | null;
  readonly families: ReadonlyMap<string, Family>;
}

/** Over HTTP, as Prometheus does. */
async function scrape(metrics: AxleMetrics): Promise<Scraped> {
  const server = createServer((_, response) => {
    void metrics.text().then((text) => response.setHeader('content-type', metricsContentType).end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
  const families = parseExposition(await response.text());
  await new Promise((resolve) => server.close(resolve));
  return { type: response.headers.get('content-type'), families };
}

function valueOf({ families }: Scraped, name: string, labels: Readonly<Record<string, string>> = {}): number {
  return sumOf(families, name, labels);
}

let waiting: Scraped;
let ended: Scraped;
beforeAll(async () => {
  const metrics = createMetrics({ version: '1.2.3' });
  const clerk = agent({ name: 'clerk', model: scriptedBrain(turns), tools: tools.map(({ name }) => name) });
  const axle = await createAxle({ store: createMemoryStore(), tools, agents: [clerk], observers: [metrics] });
  const run = await axle.start('clerk', { input: 'go' });
  await run.result();
  waiting = await scrape(metrics);
  const [open] = await axle.approvals.list();
  await axle.approvals.resolve(open?.approvalId ?? '', { decision: 'approve' });
  await run.result({ until: 'ended' });
  await axle.call('look', {});
  ended = await scrape(metrics);
  await axle.close();
});

describe('metrics of real runs, scraped over HTTP', () => {
  test('are text that a strict reader takes, with every metric that exists', () => {
    expect(ended.type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect([...ended.families.keys()]).toEqual(Object.keys(metricTable));
  });

  test('count runs, model calls, tokens, calls, attempts, repairs and decisions once', () => {
    expect(valueOf(ended, 'axle_runs_total', { kind: 'agent', outcome: 'completed' })).toBe(1);
    expect(valueOf(ended, 'axle_runs_total', { kind: 'call', outcome: 'completed' })).toBe(1);
    expect(valueOf(ended, 'axle_steps_total')).toBe(4);
    expect(valueOf(ended, 'axle_model_calls_total', { model: 'script/one', outcome: 'answered' })).toBe(4);
    expect(valueOf(ended, 'axle_tokens_total', { direction: 'input' })).toBe(40);
    expect(valueOf(ended, 'axle_tokens_total', { direction: 'output' })).toBe(20);
    expect(valueOf(ended, 'axle_tool_calls_total', { tool: 'look', outcome: 'succeeded' })).toBe(2);
    expect(valueOf(ended, 'axle_tool_attempts_total', { tool: 'look', outcome: 'failed' })).toBe(1);
    expect(valueOf(ended, 'axle_tool_attempts_total', { tool: 'look', outcome: 'succeeded' })).toBe(2);
    expect(
      valueOf(ended, 'axle_tool_calls_total', { tool: 'crm.break:it', outcome: 'failed', error_class: 'fatal' }),
    ).toBe(1);
    expect(valueOf(ended, 'axle_tool_repairs_total', { kind: 'string-to-number' })).toBe(1);
    expect(valueOf(ended, 'axle_tool_refusals_total', { code: 'arguments-invalid' })).toBe(1);
    expect(valueOf(ended, 'axle_policy_decisions_total', { decision: 'ask' })).toBe(1);
    expect(ended.families.get('axle_tool_drifts_total')?.samples).toContainEqual({
      name: 'axle_tool_drifts_total',
      labels: { tool: 'look' },
      value: 0,
    });
    expect(valueOf(ended, 'axle_rate_limit_wait_seconds_count')).toBeGreaterThan(0);
    expect(valueOf(ended, 'axle_run_duration_seconds_count')).toBe(2);
    expect(valueOf(ended, 'axle_build_info', { version: '1.2.3' })).toBe(1);
    expect(valueOf(ended, 'axle_observer_errors_total')).toBe(0);
    expect(valueOf(ended, 'axle_store_errors_total')).toBe(0);
    // The two runs were accepted by commits of their own.
    expect(valueOf(ended, 'axle_checkpoint_duration_seconds_count', { stage: 'commit' })).toBe(
      valueOf(ended, 'axle_appends_total') + 2,
    );
    expect(valueOf(ended, 'axle_checkpoint_duration_seconds_count', { stage: 'sync' })).toBeGreaterThan(0);
  });

  test('show what waits for people while it waits, and how long it did', () => {
    expect(valueOf(waiting, 'axle_approvals_pending')).toBe(1);
    expect(valueOf(waiting, 'axle_runs', { state: 'waiting' })).toBe(1);
    expect(valueOf(ended, 'axle_approvals_pending')).toBe(0);
    expect(valueOf(ended, 'axle_runs', { state: 'waiting' })).toBe(0);
    expect(valueOf(ended, 'axle_approval_wait_seconds_count', { verdict: 'approve' })).toBe(1);
    // What was asked before the run rested is known when it goes on: its tool, and when it was bound.
    expect(valueOf(ended, 'axle_tool_calls_total', { tool: 'pay', outcome: 'succeeded' })).toBe(1);
    expect(valueOf(ended, 'axle_tool_call_duration_seconds_count', { tool: 'pay' })).toBe(1);
  });
});

test('a store that cannot be read is counted, and everything else is still there', async () => {
  const metrics = createMetrics();
  const store = createMemoryStore();
  metrics.observe({ store, upstreams: async () => [] });
  await store.close();
  const scraped = await scrape(metrics);
  expect(valueOf(scraped, 'axle_observer_errors_total')).toBe(1);
  expect(scraped.families.size).toBe(Object.keys(metricTable).length);
});

test('labels whose values others choose are bounded: the 101st is counted as other', () => {
  const metric = new Metric({ name: 'x_total', help: 'x', type: 'counter', labels: ['tool'] });
  for (let index = 0; index < 1_000; index += 1) metric.add({ tool: `tool-${index}` });
  metric.add({ tool: 'tool-3' });
  const { samples } = parseExposition(exposition([metric])).get('x_total') ?? { samples: [] };
  expect(samples).toHaveLength(101);
  expect(samples.find(({ labels }) => labels['tool'] === 'other')?.value).toBe(900);
  expect(samples.find(({ labels }) => labels['tool'] === 'tool-3')?.value).toBe(2);
});

test.each([
  'a 1',
  '# HELP a x\n# TYPE a counter\na 1\n',
  '# HELP a_total x\n# TYPE a_total counter\na_total{b="c} 1\n',
  '# HELP a x\n# TYPE a gauge\na 1\na 2\n',
])('the reader of these tests refuses %j', (text) => {
  expect(() => parseExposition(text)).toThrow();
});

describe('what is shipped for operation', () => {
  const dashboard = JSON.parse(readText('ops/grafana/axle.json')) as {
    panels: { id: number; title: string; type: string; targets?: { expr: string }[] }[];
  };
  const rules = parse(readText('ops/prometheus/axle.rules.yml')) as {
    groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
  };
  const alerts = rules.groups.flatMap((group) => group.rules);
  const expressions = [
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...alerts.map(({ expr }) => expr),
  ];

  test('names only metrics and labels that a scrape has', () => {
    expect(expressions.length).toBeGreaterThan(25);
    const scraped = new Set(
      [...ended.families.values()].flatMap(({ name, type }) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
    const labels = new Set(['le', ...Object.values(metricTable).flatMap((metric) => metric.labels)]);
    const faults = expressions.flatMap((expression) => {
      const names = expression.match(/\b(?:axle|process)_[a-z_]+/gu) ?? [];
      const grouped = [...expression.matchAll(/by \(([^)]*)\)/gu)].flatMap((match) => (match[1] ?? '').split(/,\s*/u));
      const matched = [...expression.matchAll(/([a-z_]+)(?:=|!=|=~|!~)"/gu)].map((match) => match[1] ?? '');
      const unknown = [
        ...names.filter((name) => !scraped.has(name)),
        ...[...grouped, ...matched].filter((label) => !labels.has(label)),
      ];
      const isWhole = names.length > 0 && expression.split('(').length === expression.split(')').length;
      return unknown.length === 0 && isWhole ? [] : [{ expression, unknown, isWhole }];
    });
    expect(faults).toEqual([]);
  });

  test('has a runbook for every alert, and no other', () => {
    expect(alerts.length).toBeGreaterThan(6);
    for (const { alert, annotations } of alerts) {
      const file = annotations['runbook_url']?.split('/').at(-1) ?? '';
      expect(readText(`docs/runbooks/${file}`)).toContain(`# ${alert}`);
    }
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });

  test('numbers its panels, each with something to show', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const empty = dashboard.panels.filter(({ type, targets = [] }) => type !== 'row' && targets.length === 0);
    expect(empty).toEqual([]);
  });
});

test('docs/metrics.md says when each alert fires', () => {
  const rules = parse(readText('ops/prometheus/axle.rules.yml')) as { groups: { rules: { alert: string }[] }[] };
  const told = tableRows(readText('docs/metrics.md'), 'alert', 'when').flatMap((row) =>
    codeWords(row.get('alert') ?? ''),
  );
  expect(told.toSorted()).toEqual(rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert)).toSorted());
});

test('docs/metrics.md lists every metric with its type and labels, and no other', () => {
  const rows = tableRows(readText('docs/metrics.md'), 'metric', 'type', 'labels', 'what it says');
  expect(
    rows.map((row) => [
      codeWords(row.get('metric') ?? '')[0],
      row.get('type'),
      codeWords(row.get('labels') ?? ''),
      row.get('what it says'),
    ]),
  ).toEqual(Object.entries(metricTable).map(([name, { type, labels, help }]) => [name, type, labels, help]));
});
