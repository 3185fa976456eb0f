/** The breaker of an upstream as runs meet it. */
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../src/axle.ts';
import { storedUpstreams } from '../../src/execute/upstreams/in-process.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld, typesOf } from '../run/world.ts';
import { calls, entriesOfType, Desk, busy } from './desk.ts';

describe('the breaker of an upstream (T4)', () => {
  const breaker = { consecutiveFailures: 2, openFor: '30s' };

  it('opens over failures of the upstream, and the call that is refused waits until it may try', async () => {
    let isWell = false;
    const ledger = new Ledger();
    const { axle, clock, store } = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { breaker, run: () => (isWell ? {} : Promise.reject(busy)) })],
      turns: [calls(1, 'pay'), 'done'],
    });
    const run = await axle.start('worker', { input: 'pay' });
    await clock.advance(10_000);
    isWell = true;
    await clock.advance(30_000);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(3);
    const entries = await entriesOf(store, run.id);
    expect(entriesOfType(entries, 'breaker-changed').map(({ from, to }) => `${from} ${to}`)).toEqual([
      'closed open',
      'open half-open',
      'half-open closed',
    ]);
    expect(entriesOfType(entries, 'call-admitted').map(({ attempt, probe }) => [attempt, probe])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, true],
    ]);
    const refused = entriesOfType(entries, 'admission-refused');
    expect(refused).toMatchObject([{ attempt: 3, failure: { code: 'upstream-open', evidence: 'none' } }]);
    expect(await typesOf(store, run.id)).not.toContain('call-doubted');
  });

  it('that stays open ends the call with its code after the tries that the contract allows', async () => {
    const { axle, clock, store } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'pay', { breaker, retry: { attempts: 2 } })],
      turns: [calls(1, 'pay'), 'done'],
    });
    await axle.upstreams.open('tool:pay', { by: 'ann', reason: 'migration' });
    const run = await axle.start('worker', { input: 'pay' });
    await clock.advance(60_000);
    expect(await run.result()).toMatchObject({ status: 'completed', totals: { attempts: 0 } });
    expect(entriesOfType(await entriesOf(store, run.id), 'call-settled')).toMatchObject([
      {
        status: 'failed',
        outcome: {
          effectMayHaveHappened: false,
          failure: { code: 'upstream-open', message: expect.stringContaining('by ann: migration') as unknown },
        },
      },
    ]);
  });

  it('opens at once when somebody orders it through another process, and closes again (T4)', async () => {
    const desk = new Desk();
    const { axle, clock, store } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'look', { effect: 'read', limits: { concurrency: 1 }, run: desk.run })],
      turns: [],
    });
    const others = storedUpstreams({
      declared: { names: () => ['tool:look'], settings: () => undefined },
      store,
      clock,
    });
    await axle.startCall('look', {});
    const waiting = await axle.startCall('look', {});
    await clock.advance(10);
    await others.order({ name: 'tool:look', action: 'open', by: 'ann' });
    await clock.advance(0);
    expect(entriesOfType(await entriesOf(store, waiting.id), 'admission-refused')).toMatchObject([
      { failure: { code: 'upstream-open' } },
    ]);
    await others.order({ name: 'tool:look', action: 'close' });
    await desk.endFirst(clock);
    await clock.advance(3_000);
    await desk.endFirst(clock);
    expect(await waiting.result()).toMatchObject({ status: 'completed' });
    expect(await others.list()).toMatchObject([{ breaker: { kind: 'closed' } }]);
  });

  it('counts neither wrong arguments nor a cancelled call', async () => {
    const { axle, clock } = await openWorld({
      tools: [
        ledgerTool(new Ledger(), 'look', {
          effect: 'read',
          breaker: { consecutiveFailures: 1 },
          input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
          run: (input) =>
            JSON.stringify(input) === '{"n":2}'
              ? new Promise(() => {})
              : Promise.reject(new Error('There is no such order.')),
        }),
      ],
      turns: [],
    });
    await axle.call('look', { n: 'many' });
    await axle.call('look', { n: 1 });
    const hanging = await axle.startCall('look', { n: 2 });
    await clock.advance(10);
    await hanging.cancel();
    await clock.advance(5_000);
    expect(await axle.upstreams.get('tool:look')).toMatchObject({ breaker: { kind: 'closed' }, live: { inFlight: 0 } });
  });

  it('is still open after a restart, and what the upstream asked for still holds (R22)', async () => {
    const store = createMemoryStore();
    const old = cutOffStore(store);
    const limited = new ToolError({
      message: 'Slow down.',
      code: 'upstream-rate-limited',
      retryAfterMs: 40_000,
      effect: 'none',
    });
    const tools = (isWell: boolean) => [
      ledgerTool(new Ledger(), 'pay', {
        breaker,
        retry: { attempts: 2, baseMs: 0 },
        run: () => (isWell ? {} : Promise.reject(busy)),
      }),
      ledgerTool(new Ledger(), 'post', {
        limits: { maxWait: '1s' },
        retry: { attempts: 1 },
        run: () => (isWell ? {} : Promise.reject(limited)),
      }),
    ];
    const first = await openWorld({ tools: tools(false), turns: [], store: old.store });
    await first.axle.startCall('pay', {});
    await first.axle.startCall('post', {});
    await first.clock.advance(1_000);
    old.cutOff();
    const second = await openWorld({ tools: tools(true), turns: [], store, clock: first.clock });
    const views = await second.axle.upstreams.list();
    expect(views).toMatchObject([
      { name: 'tool:pay', breaker: { kind: 'open' } },
      { name: 'tool:post', breaker: { kind: 'closed' } },
    ]);
    expect(views[1]?.pausedUntilMs).toBeGreaterThan(first.clock.nowMs() + 38_000);
    expect(await second.axle.call('post', {})).toMatchObject({
      status: 'failed',
      failure: { code: 'upstream-rate-limited' },
    });
  });
});
