import { expect, onTestFinished, test } from 'vitest';
import { createAxle, createMemoryStore, tool, ToolError } from '../../src/axle.ts';
import { BreakerTransitions } from '../../src/metrics/breaker-transitions.ts';
import { Metric } from '../../src/metrics/registry.ts';
import { createMetrics } from '../../src/metrics.ts';
import { parseExposition, sumOf } from './parse-exposition.ts';

test('what calls and what people do to a breaker is counted, each once, however often it is scraped', async () => {
  const metrics = createMetrics();
  let isWell = false;
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    effect: 'idempotent',
    input: { type: 'object' },
    breaker: { consecutiveFailures: 1 },
    retry: { attempts: 1 },
    execute: () => {
      if (!isWell) throw new ToolError({ message: 'Busy.', code: 'busy', class: 'retryable', effect: 'none' });
      return 'paid';
    },
  });
  const axle = await createAxle({ store: createMemoryStore(), tools: [pay], observers: [metrics] });
  onTestFinished(() => axle.close());
  const counts = async (): Promise<readonly number[]> => {
    const families = parseExposition(await metrics.text());
    return ['open', 'closed', 'half-open'].map((to) =>
      sumOf(families, 'axle_breaker_transitions_total', { upstream: 'tool:pay', to }),
    );
  };
  expect(await counts()).toEqual([0, 0, 0]);

  // A person, before any call.
  await axle.upstreams.open('tool:pay', { by: 'ann', reason: 'maintenance' });
  expect(await counts()).toEqual([1, 0, 0]);
  expect(await counts()).toEqual([1, 0, 0]);
  // Open already: nothing changes.
  await axle.upstreams.open('tool:pay');
  await axle.upstreams.close('tool:pay', { by: 'ann' });
  expect(await counts()).toEqual([1, 1, 0]);

  // A call that fails, of which an entry and the view tell.
  await axle.call('pay', {});
  expect(await counts()).toEqual([2, 1, 0]);
  expect(await counts()).toEqual([2, 1, 0]);

  // Both between two scrapes.
  await axle.upstreams.close('tool:pay');
  await axle.call('pay', {});
  await axle.upstreams.reset('tool:pay');
  isWell = true;
  expect(await axle.call('pay', {})).toMatchObject({ status: 'completed' });
  expect(await counts()).toEqual([3, 3, 0]);
});

test('what an earlier process did is not counted, nor what a view has lost to newer changes', () => {
  const metric = new Metric({ name: 'x_total', help: 'x', type: 'counter', labels: ['upstream', 'to'] });
  const transitions = new BreakerTransitions(metric, 1_000);
  const change = (atMs: number) => ({ from: 'closed', to: 'open', reason: 'by hand', atMs }) as const;
  const seen = (...times: readonly number[]): number => {
    transitions.seen({ name: 'crm', changes: times.map(change) });
    return [...metric.series].reduce((sum, { value }) => sum + value, 0);
  };
  expect(seen(900, 800)).toBe(0);
  expect(seen(1_100, 900, 800)).toBe(1);
  expect(seen(1_100, 900, 800)).toBe(1);
  // The one that was seen last is gone: all are newer.
  expect(seen(1_400, 1_300, 1_200)).toBe(4);
});
