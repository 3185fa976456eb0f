import { describe, expect, it } from 'vitest';
import { type Contract, createAxle, type ResultCache, tool } from '../../src/axle.ts';
import { createHandClock, createMemoryStore } from '../../src/testing.ts';
import { openSqliteStore } from '../../src/journal/sqlite/sqlite-store.ts';
import { lookUpLimitMs } from '../../src/run/kept-result.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import { renderWaterfall } from '../../src/trace/waterfall.ts';
import { coded } from '../journal/sample-entries.ts';
import { temporaryFolder } from '../journal/temporary-store.ts';
import { entriesOf, Ledger, ledgerTool, openWorld, typesOf } from './world.ts';

const call = (name: string, input: unknown = {}) => ({ name, input });

function looking(ledger: Ledger, cache: unknown, more: object = {}): Contract {
  let count = 0;
  return ledgerTool(ledger, 'look', {
    effect: 'read',
    cache,
    run: () => {
      count += 1;
      return { count };
    },
    ...more,
  } as never);
}

async function outputsOf(
  axle: Awaited<ReturnType<typeof openWorld>>['axle'],
  inputs: readonly unknown[],
  options = {},
) {
  const outputs: unknown[] = [];
  for (const input of inputs) {
    const result = await axle.call('look', input, options);
    outputs.push(result.status === 'completed' ? result.output : result.status);
  }
  return outputs;
}

describe('a cache by contract (T16)', () => {
  it('answers the same read of a run again without an attempt, and says so in the journal and in axle show', async () => {
    const ledger = new Ledger();
    const { axle, store, clock } = await openWorld({
      tools: [looking(ledger, { ttl: '5m' })],
      turns: [{ calls: [call('look', { a: 1, b: 2 })] }, { calls: [call('look', { b: 2, a: 1 })] }, 'done'],
    });
    await clock.advance(1_000);
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'completed', totals: { calls: 2, attempts: 1 } });
    expect(ledger.of('look')).toBe(1);
    const entries = await entriesOf(store, run.id);
    expect(entries.filter((entry) => entry.type === 'call-cached')).toMatchObject([
      { callId: '2.0', output: { count: 1 }, from: { runId: run.id, callId: '1.0' }, ageMs: 0 },
    ]);
    // A hit settles the call, and a miss costs no entry.
    expect((await typesOf(store, run.id)).filter((type) => /attempt|call/u.test(type))).toEqual([
      'call-bound',
      'call-decided',
      'attempt-started',
      'attempt-finished',
      'call-settled',
      'call-bound',
      'call-decided',
      'call-cached',
    ]);
    const trace = traceOf(await store.read(run.id));
    expect(trace.totals).toMatchObject({ cached: 1, attempts: 1 });
    expect(renderWaterfall(trace)).toContain(`CACHE HIT: the result of ${run.id} call 1.0`);
  });

  it('keeps a result for the run alone unless the contract says otherwise', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({ tools: [looking(ledger, { ttl: '5m' })], turns: [] });
    expect(await outputsOf(axle, [{}, {}])).toEqual([{ count: 1 }, { count: 2 }]);
    const session = await openWorld({ tools: [looking(ledger, { ttl: '5m', scope: 'session' })], turns: [] });
    expect(await outputsOf(session.axle, [{}, {}], { session: 'ada' })).toEqual([{ count: 1 }, { count: 1 }]);
    expect(await outputsOf(session.axle, [{}], { session: 'bob' })).toEqual([{ count: 2 }]);
    // Runs without a session share with nobody.
    expect(await outputsOf(session.axle, [{}, {}])).toEqual([{ count: 3 }, { count: 4 }]);
    const all = await openWorld({ tools: [looking(ledger, { ttl: '5m', scope: 'all' })], turns: [] });
    expect(await outputsOf(all.axle, [{}, {}])).toEqual([{ count: 1 }, { count: 1 }]);
  });

  it('tells calls apart by all arguments, by some, or by what a function makes of them', async () => {
    const ledger = new Ledger();
    const inputs = [{ city: 'Oslo', trace: 1 }, { city: 'Oslo', trace: 2 }, { city: 'Rome', trace: 2 }, { trace: 3 }];
    const outputs = async (key: unknown) => {
      const cache = { ttl: '5m', scope: 'all', ...(key === undefined ? {} : { key }) };
      return outputsOf((await openWorld({ tools: [looking(ledger, cache)], turns: [] })).axle, inputs);
    };
    expect(await outputs(undefined)).toEqual([{ count: 1 }, { count: 2 }, { count: 3 }, { count: 4 }]);
    expect(await outputs(['city'])).toEqual([{ count: 1 }, { count: 1 }, { count: 2 }, { count: 3 }]);
    const firstLetter = ({ city }: { city?: string }) => city?.slice(0, 1);
    expect(await outputs(firstLetter)).toEqual([{ count: 1 }, { count: 1 }, { count: 2 }, { count: 3 }]);
    // A function that fails is a miss.
    const broken = ({ city }: { city?: string }) => city?.slice(0, 1).toLowerCase().normalize('x');
    expect(await outputs(broken)).toEqual([{ count: 1 }, { count: 2 }, { count: 3 }, { count: 4 }]);
  });

  it('never gives what is as old as its time to live, nor what comes from the future (R22)', async () => {
    const ledger = new Ledger();
    const clock = createHandClock();
    const { axle, store } = await openWorld({
      tools: [looking(ledger, { ttl: 1_000, scope: 'all' })],
      turns: [],
      clock,
    });
    expect(await outputsOf(axle, [{}])).toEqual([{ count: 1 }]);
    await clock.advance(999);
    expect(await outputsOf(axle, [{}])).toEqual([{ count: 1 }]);
    await clock.advance(1);
    expect(await outputsOf(axle, [{}])).toEqual([{ count: 2 }]);
    const late = await openWorld({ tools: [looking(ledger, { ttl: 1_000, scope: 'all' })], turns: [], store });
    expect(late.clock.nowMs()).toBeLessThan(clock.nowMs());
    expect(await outputsOf(late.axle, [{}])).toEqual([{ count: 1 }]);
  });

  it('keeps neither failures nor what does not fit, and finds nothing of a contract that has changed', async () => {
    const ledger = new Ledger();
    const store = createMemoryStore();
    const output = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] };
    let count = 0;
    const run = (): unknown => {
      count += 1;
      if (count === 1) throw new Error('no');
      return count === 2 ? { counts: 2 } : { count };
    };
    const cache = { ttl: '5m', scope: 'all' };
    const { axle } = await openWorld({ tools: [looking(ledger, cache, { output, run })], turns: [], store });
    expect(await outputsOf(axle, [{}, {}, {}, {}])).toEqual(['failed', 'failed', { count: 3 }, { count: 3 }]);
    const changed = await openWorld({
      tools: [looking(ledger, cache, { output, description: 'Looks elsewhere.' })],
      turns: [],
      store,
    });
    expect(await outputsOf(changed.axle, [{}])).toEqual([{ count: 1 }]);
  });

  it('is looked at only after policy has allowed the call', async () => {
    const ledger = new Ledger();
    let isDenied = false;
    const { axle } = await openWorld({
      tools: [looking(ledger, { ttl: '5m', scope: 'all' })],
      turns: [],
      notReplayed: 'its policy changes its mind between two runs',
      policy: () => (isDenied ? { kind: 'deny', rule: 'closed', reason: 'closed' } : { kind: 'allow', rule: 'open' }),
    });
    expect(await outputsOf(axle, [{}])).toEqual([{ count: 1 }]);
    isDenied = true;
    expect(await outputsOf(axle, [{}])).toEqual(['failed']);
  });

  it('is cleared by tool, and what a read under way brings then is not kept', async () => {
    const ledger = new Ledger();
    let release = (): void => {};
    const waits = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isSlow = false;
    const { axle, clock } = await openWorld({
      tools: [
        looking(
          ledger,
          { ttl: '5m', scope: 'all' },
          {
            run: async (input: unknown) => {
              if (isSlow) await waits;
              return { at: clock.nowMs(), input };
            },
          },
        ),
      ],
      turns: [],
    });
    await axle.call('look', { a: 1 });
    expect(await axle.cache.clear({ tool: 'other' })).toBe(0);
    expect(await axle.cache.clear({ tool: 'look' })).toBe(1);
    isSlow = true;
    await clock.advance(10);
    const slow = await axle.startCall('look', { a: 1 });
    await new Promise<void>((resolve) => setImmediate(resolve));
    await clock.advance(10);
    await axle.cache.clear();
    release();
    await slow.result();
    await axle.call('look', { a: 1 });
    expect(ledger.of('look')).toBe(3);
  });

  it('survives a restart in SQLite', async () => {
    const { path, remove } = temporaryFolder();
    const ledger = new Ledger();
    const cache = { ttl: '1h', scope: 'all' };
    for (const expected of [{ count: 1 }, { count: 1 }]) {
      const store = openSqliteStore(path, { role: 'driver' });
      const { axle } = await openWorld({ tools: [looking(ledger, cache)], turns: [], store });
      expect(await outputsOf(axle, [{}])).toEqual([expected]);
      await axle.close();
    }
    remove();
    expect(ledger.of('look')).toBe(1);
  });

  it('that fails or is silent is a miss', async () => {
    const ledger = new Ledger();
    const clock = createHandClock();
    let asked = 0;
    const broken: ResultCache = {
      get: async () => {
        asked += 1;
        return asked === 1 ? Promise.reject(new Error('down')) : new Promise(() => {});
      },
      put: async () => Promise.reject(new Error('down')),
      clear: async () => 0,
    };
    const warnings: string[] = [];
    const axle = await createAxle({
      store: createMemoryStore(),
      tools: [looking(ledger, { ttl: '5m', scope: 'all' })],
      cache: broken,
      ports: { clock, timers: clock },
      log: (level, message) => warnings.push(`${level}: ${message}`),
    });
    expect(await outputsOf(axle, [{}])).toEqual([{ count: 1 }]);
    const silent = outputsOf(axle, [{}]);
    await new Promise<void>((resolve) => setImmediate(resolve));
    await clock.advance(lookUpLimitMs);
    expect(await silent).toEqual([{ count: 2 }]);
    expect(warnings.filter((line) => line.includes('could not be looked up'))).toHaveLength(2);
    await axle.close();
  });

  it('of a stand-in holds what that tool answered, not what was made of it', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [
        ledgerTool(ledger, 'geo', {
          effect: 'read',
          retry: { attempts: 1 },
          run: () => {
            throw Object.assign(new Error('down'), { status: 503 });
          },
          fallback: [{ tool: 'look', output: ({ count }: { count: number }) => `made of ${count}` }],
        }),
        looking(ledger, { ttl: '5m', scope: 'all' }),
      ],
      turns: [],
    });
    for (let round = 0; round < 2; round += 1) {
      expect(await axle.call('geo', {})).toMatchObject({ output: 'made of 1' });
    }
    expect(await outputsOf(axle, [{}])).toEqual([{ count: 1 }]);
    expect(ledger.of('look')).toBe(1);
  });

  it.each([
    ['an effect', { effect: 'write', cache: { ttl: '5m' } }],
    ['no time to live', { effect: 'read', cache: {} }],
    ['a scope that does not exist', { effect: 'read', cache: { ttl: '5m', scope: 'user' } }],
    ['a key that is none', { effect: 'read', cache: { ttl: '5m', key: 'city' } }],
  ])('of %s is refused', (_, declared) => {
    const declare = () =>
      tool({ name: 'x', description: 'x', input: { type: 'object' }, execute: () => 1, ...declared } as never);
    expect(declare).toThrow(coded('contract-invalid'));
  });
});

describe('a function that makes the key of a cache', () => {
  it.each([
    ['gives a promise', async ({ id }: { id: string }) => id],
    ['gives nothing', () => {}],
    ['throws', () => Object.keys(undefined as never)],
  ])('and %s keeps nothing: nobody is given what was asked with other arguments', async (_, key) => {
    const ledger = new Ledger();
    const read = ledgerTool(ledger, 'look', {
      effect: 'read',
      cache: { ttl: '5m', scope: 'all', key },
      run: (input: unknown) => input,
    });
    const { axle } = await openWorld({ tools: [read], turns: [] });
    expect(await outputsOf(axle, [{ id: 'ada' }, { id: 'eve' }])).toEqual([{ id: 'ada' }, { id: 'eve' }]);
    expect(ledger.of('look')).toBe(2);
  });
});
