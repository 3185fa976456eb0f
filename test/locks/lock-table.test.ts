/** What the store alone tells of locks: who has which, who wants it, and what is left of that when the driver is gone. */
import { describe, expect, it } from 'vitest';
import { type Axle, tool } from '../../src/axle.ts';
import { lockTable } from '../../src/inspect/lock-table.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { cutOffStore, openWorld, type World } from '../run/world.ts';

const order = { type: 'object', properties: { orderId: { type: 'integer' } }, required: ['orderId'] } as const;

/** Tools whose attempts end when they are told to. */
function desk() {
  const ends: (() => void)[] = [];
  const at = (name: string, lock: object) =>
    tool({
      name,
      description: `Does ${name}.`,
      input: order,
      timeout: '10s',
      locks: [{ name: 'order:{orderId}', ...lock }],
      execute: () => new Promise((resolve) => ends.push(() => resolve({ ok: true }))),
    });
  return { ends, tools: [at('ship', {}), at('look', { mode: 'shared' }), at('pay', { keepInDoubt: true })] };
}

async function begin(axle: Axle, clock: World['clock'], name: string, orderId: number): Promise<string> {
  const run = await axle.startCall(name, { orderId });
  await clock.advance(0);
  return run.id;
}

describe('the table of locks', () => {
  it('names the calls that have a lock and those that want it, and forgets both', async () => {
    const { ends, tools } = desk();
    const { axle, clock, store } = await openWorld({ tools, turns: [] });
    const first = await begin(axle, clock, 'ship', 7);
    const second = await begin(axle, clock, 'ship', 7);
    const third = await begin(axle, clock, 'ship', 8);
    expect(await lockTable(store, { isDriven: true })).toEqual({
      locks: [
        {
          name: 'order:7',
          heldBy: [{ runId: first, callId: '1.0', tool: 'ship', mode: 'exclusive', isInDoubt: false }],
          wantedBy: [{ runId: second, callId: '1.0', tool: 'ship', mode: 'exclusive' }],
        },
        { name: 'order:8', heldBy: [expect.objectContaining({ runId: third })], wantedBy: [] },
      ],
      isWhole: true,
    });
    while (ends.length > 0) {
      ends.shift()?.();
      await clock.advance(0);
    }
    expect((await lockTable(store, { isDriven: true })).locks).toEqual([]);
  });

  it('has all calls that share a lock as its holders', async () => {
    const { tools } = desk();
    const { axle, clock, store } = await openWorld({ tools, turns: [] });
    const readers = [await begin(axle, clock, 'look', 7), await begin(axle, clock, 'look', 7)];
    const writer = await begin(axle, clock, 'ship', 7);
    const [lock] = (await lockTable(store, { isDriven: true })).locks;
    expect(lock?.heldBy.map(({ runId }) => runId)).toEqual(readers);
    expect(lock?.wantedBy.map(({ runId }) => runId)).toEqual([writer]);
  });

  it('keeps nothing of a process that is gone but what its doubts keep', async () => {
    const { tools } = desk();
    const memory = createMemoryStore();
    const cut = cutOffStore(memory);
    const { axle, clock, store } = await openWorld({
      store: cut.store,
      tools,
      turns: [],
    });
    const paying = await begin(axle, clock, 'pay', 7);
    await begin(axle, clock, 'ship', 8);
    await begin(axle, clock, 'ship', 7);
    cut.cutOff();
    expect((await lockTable(store, { isDriven: false })).locks).toEqual([
      {
        name: 'order:7',
        heldBy: [{ runId: paying, callId: '1.0', tool: 'pay', mode: 'exclusive', isInDoubt: true }],
        wantedBy: [],
      },
    ]);
  });

  it('says which call in doubt keeps a lock, and who wants it', async () => {
    const { tools } = desk();
    const { axle, clock, store } = await openWorld({ tools, turns: [] });
    const paying = await begin(axle, clock, 'pay', 7);
    await clock.advance(10_000);
    const shipping = await begin(axle, clock, 'ship', 7);
    const [lock] = (await lockTable(store, { isDriven: true })).locks;
    expect(lock).toMatchObject({ heldBy: [{ runId: paying, isInDoubt: true }], wantedBy: [{ runId: shipping }] });
  });
});
