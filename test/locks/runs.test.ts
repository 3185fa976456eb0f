/** Locks as runs meet them: what is written when, who waits for whom, what a doubt keeps. */
import { describe, expect, it } from 'vitest';
import { type Axle, ToolError } from '../../src/axle.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { isRecord } from '../../src/util/json.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import { renderWaterfall } from '../../src/trace/waterfall.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld, typesOf, type World } from '../run/world.ts';

type Declared = NonNullable<Parameters<typeof ledgerTool>[2]>;

const orders: NonNullable<Declared['input']> = {
  type: 'object',
  properties: { orderId: { type: 'integer' } },
  required: ['orderId'],
};
const nobody = { turns: [] } as const;

/** Attempts that a test ends one by one. */
class Desk {
  readonly open: {
    readonly orderId: unknown;
    readonly end: (value: unknown) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  readonly run: NonNullable<Declared['run']> = (input, { signal }) =>
    new Promise((resolve, reject) => {
      this.open.push({ orderId: isRecord(input) && input['orderId'], end: resolve, fail: reject });
      signal.addEventListener('abort', () => reject(new Error('Stopped as told.')));
    });

  get orders(): readonly unknown[] {
    return this.open.map(({ orderId }) => orderId);
  }

  async endFirst(clock: World['clock'], error?: Error): Promise<void> {
    const first = this.open.shift();
    if (error === undefined) first?.end({ ok: true });
    else first?.fail(error);
    await clock.advance(0);
  }
}

function entriesOfType<Type extends Entry['type']>(entries: readonly Entry[], type: Type) {
  return entries.filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type);
}

function shipping(desk: Desk, declared: Declared = {}) {
  return ledgerTool(new Ledger(), 'ship', { input: orders, locks: ['order:{orderId}'], run: desk.run, ...declared });
}

async function call(axle: Axle, clock: World['clock'], orderId: number, name = 'ship') {
  const run = await axle.startCall(name, { orderId });
  await clock.advance(0);
  return run;
}

describe('calls that want the same lock (S8)', () => {
  it('follow one another over all runs, and those that want another one overlap', async () => {
    const desk = new Desk();
    const { axle, clock, store } = await openWorld({ tools: [shipping(desk)], ...nobody });
    const [first, second] = [await call(axle, clock, 7), await call(axle, clock, 7)];
    await call(axle, clock, 8);
    expect(desk.orders).toEqual([7, 8]);
    await clock.advance(300);
    expect(await typesOf(store, second.id)).not.toContain('attempt-started');
    await desk.endFirst(clock);
    expect(desk.orders).toEqual([8, 7]);
    expect(entriesOfType(await entriesOf(store, first.id), 'call-admitted')).toEqual([
      { type: 'call-admitted', callId: '1.0', attempt: 1, locks: ['order:7'], waitedMs: 0 },
    ]);
    expect(entriesOfType(await entriesOf(store, second.id), 'call-admitted')).toMatchObject([
      { locks: ['order:7'], waitedMs: 300 },
    ]);
    expect(renderWaterfall(traceOf(await store.read(second.id)))).toMatch(/waits for the lock order:7/u);
    await desk.endFirst(clock);
    await desk.endFirst(clock);
    expect(await second.result()).toMatchObject({ status: 'completed' });
  });

  it('of other tools as well: a name is one for all', async () => {
    const desk = new Desk();
    const refund = ledgerTool(new Ledger(), 'refund', { input: orders, locks: ['order:{orderId}'], run: desk.run });
    const { axle, clock } = await openWorld({ tools: [shipping(desk), refund], ...nobody });
    await call(axle, clock, 7);
    await call(axle, clock, 7, 'refund');
    expect(desk.orders).toEqual([7]);
    await desk.endFirst(clock);
    expect(desk.orders).toEqual([7]);
    await desk.endFirst(clock);
  });

  it('do not hold it over a back-off: another call comes in between', async () => {
    const desk = new Desk();
    const { axle, clock } = await openWorld({ tools: [shipping(desk)], ...nobody });
    await call(axle, clock, 7);
    await call(axle, clock, 7);
    await desk.endFirst(clock, new ToolError({ message: 'Busy.', class: 'retryable', effect: 'none' }));
    expect(desk.orders).toEqual([7]);
    await clock.advance(5_000);
    expect(desk.orders).toEqual([7]);
    await desk.endFirst(clock);
    expect(desk.orders).toEqual([7]);
    await desk.endFirst(clock);
  });

  it('are refused when the wait is over, with who has the lock; nobody stands in for them', async () => {
    const desk = new Desk();
    const other = ledgerTool(new Ledger(), 'other', { input: orders });
    const ship = shipping(desk, {
      locks: [{ name: 'order:{orderId}', maxWait: '2s' }],
      timeout: '1m',
      fallback: ['other'],
    });
    const { axle, clock, store } = await openWorld({ tools: [ship, other], ...nobody });
    const first = await call(axle, clock, 7);
    const second = await call(axle, clock, 7);
    await clock.advance(2_000);
    const result = await second.result();
    expect(result).toMatchObject({
      status: 'failed',
      failure: { code: 'lock-wait-too-long', details: { lock: 'order:7', runId: first.id, callId: '1.0' } },
    });
    expect(entriesOfType(await entriesOf(store, second.id), 'admission-refused')).toMatchObject([
      { lock: 'order:7', waitedMs: 2_000 },
    ]);
    expect(await typesOf(store, second.id)).not.toContain('attempt-started');
    await desk.endFirst(clock);
  });

  it('take locks and a place at their upstream, and wait at the upstream with the locks', async () => {
    const desk = new Desk();
    const { axle, clock, store } = await openWorld({
      tools: [shipping(desk, { limits: { concurrency: 1 } })],
      ...nobody,
    });
    await call(axle, clock, 7);
    const second = await call(axle, clock, 8);
    const third = await call(axle, clock, 8);
    expect(desk.orders).toEqual([7]);
    await desk.endFirst(clock);
    expect(desk.orders).toEqual([8]);
    await second.cancel('changed my mind');
    await clock.advance(0);
    await clock.advance(11_000);
    await desk.endFirst(clock);
    await clock.advance(0);
    expect(entriesOfType(await entriesOf(store, third.id), 'call-admitted')).toMatchObject([
      { upstream: 'tool:ship', locks: ['order:8'] },
    ]);
    await desk.endFirst(clock);
  });

  it('fail when an argument makes no name, and the model is told which', async () => {
    const input: NonNullable<Declared['input']> = {
      type: 'object',
      properties: { to: { type: 'object' } },
      required: ['to'],
    };
    const ledger = new Ledger();
    const ship = ledgerTool(ledger, 'ship', { input, locks: ['city:{/to/city}'] });
    const { axle } = await openWorld({ tools: [ship], ...nobody });
    expect(await axle.call('ship', { to: {} })).toMatchObject({
      status: 'failed',
      failure: {
        code: 'lock-name-invalid',
        message: 'ship was not run: the lock city:{/to/city} has no name: /to/city is not there.',
      },
    });
    expect(ledger.effects).toEqual([]);
  });

  it('leave the lock when they are cancelled, waiting or at work', async () => {
    const desk = new Desk();
    const ship = shipping(desk, { effect: 'read' });
    const { axle, clock } = await openWorld({ tools: [ship], ...nobody });
    const [first, second] = [await call(axle, clock, 7), await call(axle, clock, 7)];
    await call(axle, clock, 7);
    await second.cancel('no longer wanted');
    await clock.advance(0);
    expect(await second.result()).toMatchObject({ status: 'cancelled' });
    await first.cancel('no longer wanted');
    await clock.advance(0);
    expect(desk.orders).toEqual([7, 7]);
    await desk.endFirst(clock);
    await desk.endFirst(clock);
  });
});

describe('two calls that want two locks in different orders', () => {
  it('never wait for each other', async () => {
    const desk = new Desk();
    const input: NonNullable<Declared['input']> = {
      type: 'object',
      properties: { from: { type: 'string' }, to: { type: 'string' } },
      required: ['from', 'to'],
    };
    const move = ledgerTool(new Ledger(), 'move', { input, locks: ['account:{from}', 'account:{to}'], run: desk.run });
    const { axle, clock } = await openWorld({ tools: [move], ...nobody });
    const runs = [];
    for (let round = 0; round < 4; round += 1) {
      runs.push(
        await axle.startCall('move', { from: 'a', to: 'b' }),
        await axle.startCall('move', { from: 'b', to: 'a' }),
      );
    }
    await clock.advance(0);
    for (let round = 0; round < runs.length; round += 1) {
      expect(desk.open).toHaveLength(1);
      await desk.endFirst(clock);
    }
    for (const run of runs) expect(await run.result()).toMatchObject({ status: 'completed' });
  });
});

const lost = new ToolError({ message: 'The line broke.', class: 'retryable', effect: 'unknown' });

describe('a call in doubt', () => {
  it('gives its lock back, unless its contract says otherwise', async () => {
    const desk = new Desk();
    const { axle, clock } = await openWorld({ tools: [shipping(desk)], ...nobody });
    await call(axle, clock, 7);
    await call(axle, clock, 7);
    await desk.endFirst(clock, lost);
    expect(desk.orders).toEqual([7]);
    await desk.endFirst(clock);
  });

  it('keeps the lock until it is settled, where the contract says so, and keeps others out by name', async () => {
    const desk = new Desk();
    const ship = shipping(desk, { locks: [{ name: 'order:{orderId}', keepInDoubt: true, maxWait: '1h' }] });
    const { axle, clock, store } = await openWorld({ tools: [ship], ...nobody });
    const first = await call(axle, clock, 7);
    const second = await call(axle, clock, 7);
    await desk.endFirst(clock, lost);
    await clock.advance(60_000);
    expect(desk.orders).toEqual([]);
    expect(await first.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
    expect((await store.run(first.id))?.status.keptLocks).toEqual([{ callId: '1.0', name: 'order:7' }]);
    await axle.calls.resolve(`${first.id}/1.0`, { happened: true, output: { ok: true } });
    await clock.advance(0);
    expect(desk.orders).toEqual([7]);
    await desk.endFirst(clock);
    expect(await second.result()).toMatchObject({ status: 'completed' });
    expect((await store.runs({ keepsLocks: true })).map(({ runId }) => runId)).toEqual([]);
  });

  it('that is to be tried again takes the lock again', async () => {
    const desk = new Desk();
    const ship = shipping(desk, { locks: [{ name: 'order:{orderId}', keepInDoubt: true }] });
    const { axle, clock } = await openWorld({ tools: [ship], ...nobody });
    const first = await call(axle, clock, 7);
    await desk.endFirst(clock, lost);
    await axle.calls.resolve(`${first.id}/1.0`, { happened: false, then: 'retry' });
    await clock.advance(0);
    expect(desk.orders).toEqual([7]);
    await desk.endFirst(clock);
    expect(await first.result()).toMatchObject({ status: 'completed' });
  });

  it('keeps it over a crash in the middle of its attempt', async () => {
    const desk = new Desk();
    const ship = shipping(desk, { locks: [{ name: 'order:{orderId}', keepInDoubt: true, maxWait: '1h' }] });
    const plain = shipping(desk, { name: 'plain', locks: ['invoice:{orderId}'] });
    const store = createMemoryStore();
    const old = cutOffStore(store);
    const first = await openWorld({ tools: [ship, plain], store: old.store, ...nobody });
    const { clock } = first;
    const run = await call(first.axle, clock, 7);
    await call(first.axle, clock, 7, 'plain');
    expect(desk.orders).toEqual([7, 7]);
    old.cutOff();
    const second = await openWorld({ tools: [ship, plain], store, clock, ...nobody });
    await call(second.axle, clock, 7);
    await call(second.axle, clock, 7, 'plain');
    // What nobody keeps is free: its process is gone.
    expect(desk.orders).toEqual([7, 7, 7]);
    await second.axle.calls.resolve(`${run.id}/1.0`, { happened: false, then: 'fail' });
    await clock.advance(0);
    expect(desk.orders).toEqual([7, 7, 7, 7]);
    for (let left = 4; left > 0; left -= 1) await desk.endFirst(clock);
  });
});
