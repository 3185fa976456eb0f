/** What runs that wait for a person cost in memory: they must not be there at all. */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { agent, createAxle, openSqliteStore, tool } from '../src/axle.ts';
import { measure } from './measure.ts';
import type { Sample, SuspendedSpec } from './sample-spec.ts';
import { createModel, instructions, noteTool, question } from './workload.ts';

/** Runs started at a time. */
const batchSize = 500;

export async function sampleSuspended({ runs, folder }: SuspendedSpec): Promise<Sample> {
  const write = tool({
    ...noteTool,
    effect: 'write',
    irreversible: true,
    input: z.object({ page: z.number().int() }),
    execute: () => 'written',
  });
  const writer = agent({ name: 'writer', model: createModel(1, noteTool.name), instructions, tools: [noteTool.name] });
  const store = openSqliteStore(join(folder, 'suspended.db'), { role: 'driver' });
  await using axle = await createAxle({ store, tools: [write], agents: [writer] });

  const suspend = async (count: number): Promise<void> => {
    for (let started = 0; started < count; started += batchSize) {
      const results = await Promise.all(
        Array.from({ length: Math.min(batchSize, count - started) }, async () =>
          (await axle.start('writer', { input: question })).result(),
        ),
      );
      const other = results.find((result) => result.status !== 'waiting');
      if (other !== undefined) throw new Error(`A run did not wait for its approval: ${JSON.stringify(other)}`);
    }
  };
  // Compiled code, caches of SQLite and the thread that checkpoints belong to the process and not to its runs.
  const first = Math.ceil(runs / 4);
  await suspend(first);
  const before = await memoryBytes();
  const startedMs = performance.now();
  const { foreignCores } = await measure(() => suspend(runs - first));
  const tookUs = (performance.now() - startedMs) * 1_000;
  const after = await memoryBytes();
  const more = runs - first;
  return [
    {
      foreignCores,
      values: {
        runs,
        heapBytes: (after.heap - before.heap) / more,
        rssBytes: (after.rss - before.rss) / more,
        startUs: tookUs / more,
      },
    },
  ];
}

async function memoryBytes(): Promise<{ readonly heap: number; readonly rss: number }> {
  // What is finished in this turn of the loop is free in a later one.
  for (let round = 0; round < 4; round += 1) {
    await delay(50);
    globalThis.gc?.();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}
