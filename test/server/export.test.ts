import { expect, test } from 'vitest';
import { createMemoryStore } from '../../src/axle.ts';
import { exportRun, importRun } from '../../src/export.ts';
import { createMetrics } from '../../src/metrics.ts';
import { textOf } from '../export/runs.ts';
import { parseExposition } from '../metrics/parse-exposition.ts';
import { openWorld, startRun } from './world.ts';

test('a run is had over HTTP as the file that the library gives, and can be imported', async () => {
  const world = await openWorld();
  const runId = await startRun(world, 'clerk', 'k');
  const response = await fetch(`${world.url}/v1/runs/${runId}/export`);
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${runId}.axle.jsonl"`);
  const text = await response.text();
  expect(text).toBe(await textOf(exportRun(world.axle.store, runId)));
  expect(await importRun(createMemoryStore(), [text])).toMatchObject({ runId, created: true, ended: true });
  for (const format of ['atif', 'chat', 'otel'] as const) {
    const other = await fetch(`${world.url}/v1/runs/${runId}/export?format=${format}`);
    expect(await other.text()).toBe(await textOf(exportRun(world.axle.store, runId, format)));
  }
  expect((await fetch(`${world.url}/v1/runs/run_none/export`)).status).toBe(404);
});

test('metrics stand at /metrics where the server was handed them, and nowhere else', async () => {
  const metrics = createMetrics();
  const world = await openWorld({ observers: [metrics] }, { metrics });
  await startRun(world, 'clerk', 'k');
  const families = parseExposition(await (await fetch(`${world.url}/metrics`)).text());
  const ended = families.get('axle_runs_total')?.samples ?? [];
  expect(ended.map(({ labels, value }) => [labels['outcome'], value])).toEqual([['completed', 1]]);
  const bare = await openWorld();
  expect(await bare.ask('GET', '/metrics')).toMatchObject({ status: 404, body: { code: 'route-unknown' } });
});
