/** Upstreams as runs meet them: what is written when, what waits, what is given back. */
import { describe, expect, it } from 'vitest';
import { createAxle, tool } from '../../src/axle.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld, typesOf, type World } from '../run/world.ts';
import { type Declared, calls, entriesOfType, Desk } from './desk.ts';

describe('a call whose tool has limits (T6)', () => {
  it('is admitted before its attempt is announced, and one without limits is written as ever', async () => {
    const ledger = new Ledger();
    const tools = [
      ledgerTool(ledger, 'free', { effect: 'read' }),
      ledgerTool(ledger, 'look', { effect: 'read', limits: { concurrency: 1 } }),
    ];
    const turns = [{ calls: [{ name: 'free', input: {} }] }, calls(1), 'done'];
    const { axle, store } = await openWorld({ tools, turns });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const ofCalls = (await typesOf(store, run.id)).filter((type) => /call|attempt|admi/u.test(type));
    expect(ofCalls).toEqual([
      'call-bound',
      'call-decided',
      'attempt-started',
      'attempt-finished',
      'call-settled',
      'call-bound',
      'call-decided',
      'call-admitted',
      'attempt-started',
      'attempt-finished',
      'call-settled',
    ]);
    expect(entriesOfType(await entriesOf(store, run.id), 'call-admitted')).toEqual([
      { type: 'call-admitted', callId: '2.0', attempt: 1, upstream: 'tool:look', waitedMs: 0 },
    ]);
  });

  it('waits for its turn over all runs, and its wait is in the journal', async () => {
    const desk = new Desk();
    const { axle, clock, store } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'look', { effect: 'read', limits: { concurrency: 1 }, run: desk.run })],
      turns: [calls(1), 'done'],
    });
    const first = await axle.start('worker', { input: 'one' });
    const second = await axle.start('worker', { input: 'two' });
    await clock.advance(300);
    expect(desk.open).toHaveLength(1);
    expect(await typesOf(store, second.id)).not.toContain('attempt-started');
    await desk.endFirst(clock);
    await desk.endFirst(clock);
    expect([await first.result(), await second.result()]).toMatchObject([
      { status: 'completed' },
      { status: 'completed' },
    ]);
    expect(entriesOfType(await entriesOf(store, second.id), 'call-admitted')).toMatchObject([{ waitedMs: 300 }]);
  });

  it('of a run with 1,000 others leaves room for those of another run, and none of them is refused (T6)', async () => {
    const seen: string[] = [];
    const input = { request: 'many' };
    const { axle, clock, store } = await openWorld({
      tools: [
        ledgerTool(new Ledger(), 'look', {
          effect: 'read',
          limits: { concurrency: 2, queue: 20 },
          run: async (_input, { runId }) => {
            seen.push(runId);
            await new Promise<void>((resolve) => void clock.after(10, resolve));
            return {};
          },
        }),
      ],
      turns: ({ items }, turn) => {
        const [first] = items;
        const isMany = first?.kind === 'user' && first.text === input.request;
        return turn < (isMany ? 10 : 1) ? calls(isMany ? 100 : 3) : 'done';
      },
      agent: { budget: { steps: 20, time: '1h' } },
    });
    const many = await axle.start('worker', { input: input.request });
    await clock.advance(50);
    const few = await axle.start('worker', { input: 'few' });
    await clock.advance(60);
    expect(await few.result()).toMatchObject({ status: 'completed' });
    expect(seen.filter((runId) => runId === many.id).length).toBeLessThan(30);
    await clock.advance(6_000);
    expect(await many.result()).toMatchObject({ status: 'completed', totals: { attempts: 1_000 } });
    expect(await typesOf(store, many.id)).not.toContain('admission-refused');
  }, 60_000);

  it('leaves the queue at once when its run is cancelled, and nothing was attempted', async () => {
    const desk = new Desk();
    const { axle, clock, store } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'pay', { limits: { concurrency: 1 }, run: desk.run })],
      turns: [calls(1, 'pay'), 'done'],
    });
    await axle.start('worker', { input: 'one' });
    const second = await axle.start('worker', { input: 'two' });
    await clock.advance(100);
    expect(await axle.upstreams.get('tool:pay')).toMatchObject({ live: { inFlight: 1, waiting: 1 } });
    await second.cancel('not needed');
    await clock.advance(0);
    expect(await second.result()).toMatchObject({ status: 'cancelled' });
    expect(await axle.upstreams.get('tool:pay')).toMatchObject({ live: { inFlight: 1, waiting: 0 } });
    expect(await typesOf(store, second.id)).not.toContain('call-admitted');
    expect(entriesOfType(await entriesOf(store, second.id), 'call-settled')).toMatchObject([{ status: 'cancelled' }]);
  });

  it('gives its permit back when it is cancelled under way, when it times out, and when its tool throws', async () => {
    const { axle, clock } = await openWorld({
      tools: [
        ledgerTool(new Ledger(), 'look', {
          effect: 'read',
          timeout: '1s',
          retry: { attempts: 1 },
          limits: { concurrency: 1 },
          run: (input) =>
            JSON.stringify(input).includes('1') ? Promise.reject(new Error('no')) : new Promise(() => {}),
        }),
      ],
      turns: [calls(2), 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(1_000);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const hanging = await axle.start('worker', { input: 'again' });
    await clock.advance(10);
    await hanging.cancel();
    await clock.advance(5_000);
    expect(await axle.upstreams.get('tool:look')).toMatchObject({ live: { inFlight: 0, waiting: 0 } });
  });

  it('keeps its approval while its upstream refuses it, and uses it up when an attempt begins (R15, R16)', async () => {
    const ledger = new Ledger();
    const { axle, clock, store } = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { risk: 'high', breaker: true })],
      turns: [calls(1, 'pay'), 'done'],
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result();
    await axle.upstreams.open('tool:pay');
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    await clock.advance(10);
    expect(ledger.effects).toHaveLength(0);
    await axle.upstreams.close('tool:pay');
    await clock.advance(10_000);
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    const entries = await entriesOf(store, run.id);
    expect(entriesOfType(entries, 'admission-refused')).toMatchObject([
      { attempt: 1, failure: { code: 'upstream-open' } },
    ]);
    expect(entriesOfType(entries, 'attempt-started')).toMatchObject([{ attempt: 1, approvalId: `${run.id}/1.0` }]);
  });

  it('that waits when the process closes is admitted anew by the next one', async () => {
    const desk = new Desk();
    const ledger = new Ledger();
    const store = createMemoryStore();
    const declared: Declared = { limits: { concurrency: 1 }, effect: 'read' };
    const open = (run: NonNullable<Declared['run']>, clock?: World['clock']) =>
      openWorld({
        tools: [ledgerTool(ledger, 'look', { ...declared, run })],
        turns: [calls(1), 'done'],
        store: keptOpen(store),
        ...(clock === undefined ? {} : { clock }),
      });
    const first = await open(desk.run);
    await first.axle.start('worker', { input: 'one' });
    const second = await first.axle.start('worker', { input: 'two' });
    await first.clock.advance(100);
    const closed = first.axle.close();
    await first.clock.advance(0);
    await desk.endFirst(first.clock);
    await closed;
    const next = await open(() => ({}), first.clock);
    await first.clock.advance(0);
    expect(await next.axle.run(second.id).result()).toMatchObject({ status: 'completed' });
    expect(entriesOfType(await entriesOf(store, second.id), 'call-admitted')).toHaveLength(1);
    expect((await typesOf(store, second.id)).filter((type) => type === 'attempt-started')).toHaveLength(1);
  });

  it('that was admitted by a process that is gone is admitted anew: an admission counts for its epoch', async () => {
    const ledger = new Ledger();
    const store = createMemoryStore();
    const tools = [
      ledgerTool(ledger, 'look', { effect: 'read', limits: { concurrency: 1 }, run: () => new Promise(() => {}) }),
    ];
    const old = cutOffStore(store);
    const first = await openWorld({ tools, turns: [calls(1), 'done'], store: old.store });
    const run = await first.axle.start('worker', { input: 'go' });
    await first.clock.advance(0);
    old.cutOff();
    const second = await openWorld({
      tools: [ledgerTool(ledger, 'look', { effect: 'read', limits: { concurrency: 1 } })],
      turns: [calls(1), 'done'],
      store,
      clock: first.clock,
    });
    await first.clock.advance(0);
    expect(await second.axle.run(run.id).result()).toMatchObject({ status: 'completed' });
    expect(entriesOfType(await entriesOf(store, run.id), 'call-admitted')).toMatchObject([
      { attempt: 1 },
      { attempt: 2 },
    ]);
    await first.clock.advance(20_000);
    expect(await first.axle.upstreams.get('tool:look')).toMatchObject({ live: { inFlight: 0 } });
  });

  it('that comes back from its doubt and one that was admitted meanwhile do not wait for each other for ever', async () => {
    const desk = new Desk();
    let paid = 0;
    const { axle, clock } = await openWorld({
      tools: [
        ledgerTool(new Ledger(), 'pay', {
          timeout: '1s',
          limits: { upstream: 'bank' },
          run: () => {
            paid += 1;
            return paid === 1 ? new Promise(() => {}) : {};
          },
        }),
        ledgerTool(new Ledger(), 'hold', { limits: { upstream: 'bank' }, run: desk.run }),
      ],
      turns: [
        {
          calls: [
            { name: 'pay', input: { n: 1 } },
            { name: 'pay', input: { n: 2 } },
          ],
        },
        'done',
      ],
      upstreams: { bank: { concurrency: 1 } },
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(0);
    const other = await axle.startCall('hold', {});
    await clock.advance(1_000);
    expect(desk.open).toHaveLength(1);
    await axle.calls.resolve(`${run.id}/1.0`, { happened: false, then: 'retry' });
    await clock.advance(10);
    await desk.endFirst(clock);
    await clock.advance(10);
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed', totals: { attempts: 3 } });
    expect(await other.result()).toMatchObject({ status: 'completed' });
  });
});

describe('a call that is cancelled while its upstream is about to answer', () => {
  it('is settled once: what comes later reopens nothing', async () => {
    const desk = new Desk();
    const held = Promise.withResolvers<undefined>();
    let isHeld = false;
    const inner = createMemoryStore();
    const store = wrapStore(inner, {
      append: async (batch) => {
        if (isHeld) await held.promise;
        return inner.append(batch);
      },
    });
    const { axle, clock } = await openWorld({
      tools: [
        ledgerTool(new Ledger(), 'slow', { effect: 'read', run: desk.run }),
        ledgerTool(new Ledger(), 'look', {
          effect: 'read',
          limits: { concurrency: 1, maxWait: 100 },
          run: () => new Promise(() => {}),
        }),
      ],
      turns: [{ calls: [...calls(1, 'slow').calls, ...calls(1).calls] }, 'done'],
      store,
    });
    await axle.startCall('look', {});
    await clock.advance(0);
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(50);
    isHeld = true;
    await run.cancel();
    await clock.advance(0);
    // The call is decided to be cancelled, and not written down yet, when its wait is over.
    await clock.advance(60);
    isHeld = false;
    held.resolve(undefined);
    await clock.advance(5_000);
    expect(await run.result()).toMatchObject({ status: 'cancelled' });
    const entries = await entriesOf(store, run.id);
    expect(entriesOfType(entries, 'call-settled').filter(({ callId }) => callId === '1.1')).toHaveLength(1);
    expect(entriesOfType(entries, 'admission-refused')).toEqual([]);
  });
});

/** The same store over several Axles: closing one of them leaves it open. */
function keptOpen(store: World['store']): World['store'] {
  return wrapStore(store, { close: async () => {} });
}

describe('a rate so slow that no timer waits for its next token', () => {
  it('is waited for as long as the contract says, and leaves nobody in the queue', async () => {
    const slow = tool({
      name: 'slow',
      description: 'Is hardly ever called.',
      effect: 'read',
      input: { type: 'object' },
      retry: { attempts: 1 },
      limits: { rate: '0.01/31d', maxWait: 20 },
      execute: () => 1,
    });
    await using axle = await createAxle({ store: ':memory:', tools: [slow] });
    expect(await axle.call('slow', {})).toMatchObject({ status: 'completed' });
    expect(await axle.call('slow', {})).toMatchObject({ failure: { code: 'upstream-wait-too-long' } });
    expect(await axle.upstreams.list()).toMatchObject([{ live: { waiting: 0, inFlight: 0 } }]);
  });
});
