import { onTestFinished, expect, it } from 'vitest';
import { agent, createAxle, createMemoryStore, type Store, tool, ToolError } from '../../src/axle.ts';
import type { ToolStatisticsAnswer } from '../../src/http.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { ToolSamples } from '../../src/server/read/tool-samples.ts';
import { scriptedBrain } from '../../src/testing.ts';
import { openWorld } from './world.ts';

/** Answers its second attempt for Oslo, never for Atlantis, and at once for the rest. */
const weather = tool({
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  effect: 'read',
  retry: { attempts: 2, baseMs: 1 },
  input: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
  execute: async ({ city }, { attempt }) => {
    if (city === 'Atlantis') {
      throw new ToolError({ code: 'no-such-city', message: 'It sank.', class: 'fatal', effect: 'none' });
    }
    if (city === 'Oslo' && attempt === 1) {
      throw new ToolError({ message: 'Busy.', class: 'retryable', effect: 'none' });
    }
    return 'snow';
  },
});

const traveller = agent({
  name: 'traveller',
  tools: ['get_weather'],
  model: scriptedBrain([
    {
      calls: [
        { name: 'get_weather', input: { city: 'Oslo', days: '3' } },
        { name: 'get_weather', input: { city: 'Bergen' } },
        { name: 'get_weather', input: { city: 'Atlantis' } },
        { name: 'get_weather', input: { days: 3 } },
        { name: 'get_wether', input: {} },
      ],
    },
    'Take a coat.',
  ]),
});

async function runs(store: Store, count: number) {
  const axle = await createAxle({ store, tools: [weather], agents: [traveller] });
  onTestFinished(() => axle.close());
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const run = await axle.start('traveller', { input: 'Where to?' });
    await run.result();
    ids.push(run.id);
  }
  return ids;
}

/** A store, and how many appends were read from it. */
function counted(store: Store) {
  const reads = { appends: 0 };
  const wrapped = wrapStore(store, {
    read: async (runId, options) => {
      const page = await store.read(runId, options);
      reads.appends += page.length;
      return page;
    },
  });
  return { reads, store: wrapped };
}

it('tells of each tool what became of its calls, over the runs that it names (O2)', async () => {
  const world = await openWorld({ tools: [weather], agents: [traveller] });
  const empty = await world.ask<ToolStatisticsAnswer>('GET', '/v1/tool-statistics');
  expect(empty.body).toEqual({ items: [], over: { runs: 0, skipped: 0, cut: 0 } });
  for (let made = 0; made < 2; made += 1) {
    const run = await world.axle.start('traveller', { input: 'Where to?' });
    await run.result();
  }
  const { body } = await world.ask<ToolStatisticsAnswer>('GET', '/v1/tool-statistics');
  expect(body.over).toMatchObject({ runs: 2, skipped: 0, cut: 0 });
  expect(body.items.map(({ tool: name }) => name)).toEqual(['get_weather', 'get_wether']);
  const [known, unknown] = body.items;
  expect(known).toMatchObject({
    calls: 6,
    refused: 2,
    succeeded: 4,
    failed: 2,
    attempts: 8,
    attemptMs: { count: 8 },
    repaired: 2,
    repairs: [{ rule: 'string-to-number', path: '/days', count: 2 }],
  });
  expect(known?.errorRate).toBeCloseTo(2 / 6);
  expect(known?.attemptsPerCall).toBeCloseTo(8 / 6);
  expect(known?.repairRate).toBeCloseTo(2 / 6);
  expect(known?.errors).toHaveLength(2);
  expect(known?.errors[0]).toMatchObject({ callId: '1.2', code: 'no-such-city', message: 'It sank.' });
  expect(unknown).toMatchObject({ calls: 0, refused: 2 });
  const { body: last } = await world.ask<ToolStatisticsAnswer>('GET', '/v1/tool-statistics?runs=1');
  expect(last).toMatchObject({ over: { runs: 1 }, items: [{ calls: 3 }, { refused: 1 }] });
  expect(await world.ask('GET', '/v1/tool-statistics?runs=1001')).toMatchObject({ status: 400 });
});

it('reads of a run what is new in the store, and of an answer no more than its limit', async () => {
  const { store, reads } = counted(createMemoryStore());
  await runs(store, 4);
  const samples = new ToolSamples(store);
  reads.appends = 0;
  const whole = await samples.statistics(10);
  const ofFour = reads.appends;
  expect(whole.over).toMatchObject({ runs: 4, skipped: 0, cut: 0 });
  expect(await samples.statistics(10)).toEqual(whole);
  expect(reads.appends).toBe(ofFour);
  // One run an answer, and a bit that is not enough for another: it says so, and the next goes on.
  const lengths = (await store.runs({ limit: 10 })).map(async ({ runId }) => (await store.read(runId)).length);
  const few = new ToolSamples(store, {
    maxAppends: Math.max(...(await Promise.all(lengths))) + 1,
    maxAppendsOfRun: 5_000,
  });
  const answers = [
    await few.statistics(10),
    await few.statistics(10),
    await few.statistics(10),
    await few.statistics(10),
  ];
  expect(answers.map(({ over }) => [over.runs, over.skipped])).toEqual([
    [1, 3],
    [2, 2],
    [3, 1],
    [4, 0],
  ]);
  expect(answers[3]).toEqual(whole);
});

it('counts the beginning of a run that is too long, names it, and does not read it again', async () => {
  const { store, reads } = counted(createMemoryStore());
  await runs(store, 1);
  const samples = new ToolSamples(store, { maxAppends: 1_000, maxAppendsOfRun: 3 });
  reads.appends = 0;
  const first = await samples.statistics(10);
  expect(first.over).toMatchObject({ runs: 1, skipped: 0, cut: 1 });
  expect(reads.appends).toBe(3);
  expect(await samples.statistics(10)).toEqual(first);
  expect(reads.appends).toBe(3);
});

it('lets several who ask at once share what is read, and goes on after the store did not answer', async () => {
  const memory = createMemoryStore();
  await runs(memory, 2);
  const { store: counting, reads } = counted(memory);
  let isAway = true;
  const store = wrapStore(counting, {
    runs: async (filter) => {
      if (isAway) throw new Error('The store is away.');
      return counting.runs(filter);
    },
  });
  const samples = new ToolSamples(store);
  await expect(samples.statistics(10)).rejects.toThrow('The store is away.');
  isAway = false;
  reads.appends = 0;
  const answers = await Promise.all([samples.statistics(10), samples.statistics(10), samples.statistics(10)]);
  const once = reads.appends;
  expect(answers[1]).toEqual(answers[0]);
  await samples.statistics(10);
  expect(reads.appends).toBe(once);
  reads.appends = 0;
  await new ToolSamples(store).statistics(10);
  expect(reads.appends).toBe(once);
});
