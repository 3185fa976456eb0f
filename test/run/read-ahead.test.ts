import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/journal/entry.ts';
import type { Store } from '../../src/journal/store.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { createHandClock, createMemoryStore } from '../../src/testing.ts';
import { Ledger, ledgerTool, openWorld } from './world.ts';

const lookOnce = [{ calls: [{ name: 'look', input: {} }] }, 'done'];

/** The types of entries, append by append, without the first two appends: the run accepted, and the model asked. */
async function appendsOf(store: Store, runId: string): Promise<readonly (readonly string[])[]> {
  return (await store.read(runId)).slice(2).map(({ entries }) => entries.map(({ type }) => type));
}

/** A store that holds back the append which announces the first attempt, until it is let go. */
function heldStore(): { readonly store: Store; readonly reached: Promise<void>; readonly letGo: () => void } {
  const inner = createMemoryStore();
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const announces = (entry: Entry): boolean => entry.type === 'attempt-started';
  const store = wrapStore(inner, {
    append: async (batch) => {
      if (batch.append.entries.some(announces)) {
        reached.resolve();
        await gate.promise;
      }
      return inner.append(batch);
    },
  });
  return { store, reached: reached.promise, letGo: () => gate.resolve() };
}

const announced = ['model-finished', 'call-bound', 'call-decided', 'attempt-started'];
const answered = ['attempt-finished', 'call-settled', 'model-started'];
const ended = ['model-finished', 'run-finished'];

describe('a read (S7, L3)', () => {
  it('that answers at once makes a turn one append', async () => {
    const { axle, store } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'look', { effect: 'read' })],
      turns: [...Array.from({ length: 5 }, (_, n) => ({ calls: [{ name: 'look', input: { n } }] })), 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    const turn = [...announced, ...answered];
    expect(await appendsOf(store, run.id)).toEqual([turn, turn, turn, turn, turn, ended]);
  });

  it('that takes its time is announced before it answers', async () => {
    const reply = Promise.withResolvers<string>();
    const { axle, store, clock } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'look', { effect: 'read', run: () => reply.promise })],
      turns: lookOnce,
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(0);
    expect(await appendsOf(store, run.id)).toEqual([announced]);
    reply.resolve('seen');
    await run.result();
    expect(await appendsOf(store, run.id)).toEqual([announced, answered, ended]);
  });

  it('that held the thread up for longer than a millisecond stands in an append with a time of its own', async () => {
    const clock = createHandClock();
    let lateMs = 0;
    const slow = { ...clock, nowMs: () => clock.nowMs() + lateMs };
    const { axle, store } = await openWorld({
      clock: slow,
      tools: [ledgerTool(new Ledger(), 'look', { effect: 'read', run: () => void (lateMs += 40) })],
      turns: lookOnce,
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    expect(await appendsOf(store, run.id)).toEqual([announced, answered, ended]);
    const [, , before, after] = await store.read(run.id);
    expect((after?.atMs ?? 0) - (before?.atMs ?? 0)).toBe(40);
  });

  it('begins while its announcement is being committed, and the model hears of it only afterwards', async () => {
    const ledger = new Ledger();
    const { store, reached, letGo } = heldStore();
    let asked = 0;
    const { axle, clock } = await openWorld({
      store,
      tools: [ledgerTool(ledger, 'look', { effect: 'read' })],
      turns: (_, turn) => {
        asked += 1;
        return turn === 0 ? { calls: [{ name: 'look', input: {} }] } : 'done';
      },
    });
    const run = await axle.start('worker', { input: 'go' });
    await reached;
    await clock.advance(0);
    expect([ledger.of('look'), asked]).toEqual([1, 1]);
    letGo();
    await run.result();
    expect([ledger.of('look'), asked]).toEqual([1, 2]);
  });

  it.each([
    ['a side effect', { effect: 'write', risk: 'low' }, 'effects'],
    ['an idempotent effect', { effect: 'idempotent' }, 'effects'],
    ['a read with limits', { effect: 'read', limits: { concurrency: 1 } }, 'effects'],
    ["a read under durability: 'strict'", { effect: 'read' }, 'strict'],
  ] as const)('unlike %s, which waits for the commit of its announcement', async (_, declared, durability) => {
    const ledger = new Ledger();
    const { store, reached, letGo } = heldStore();
    const { axle, clock } = await openWorld({
      store,
      tools: [ledgerTool(ledger, 'look', declared)],
      turns: lookOnce,
      axle: { durability },
    });
    const run = await axle.start('worker', { input: 'go' });
    await reached;
    await clock.advance(0);
    expect(ledger.of('look')).toBe(0);
    letGo();
    await clock.advance(0);
    await run.result();
    expect(ledger.of('look')).toBe(1);
  });

  it('that fails at once is tried again only after its failure is committed', async () => {
    let tries = 0;
    const { axle, store } = await openWorld({
      tools: [
        ledgerTool(new Ledger(), 'look', {
          effect: 'read',
          fallback: ['see'],
          run: () => Promise.reject(new Error('down')),
        }),
        ledgerTool(new Ledger(), 'see', { effect: 'read', run: () => (tries += 1) }),
      ],
      agent: { tools: ['look'] },
      turns: lookOnce,
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result({ until: 'ended' });
    for (const types of await appendsOf(store, run.id)) {
      expect(types.filter((type) => type === 'attempt-finished').length).toBeLessThanOrEqual(1);
    }
    expect(tries).toBeLessThanOrEqual(1);
  });

  it('has a key of its own for what it reads, so that a call which gets its place after a crash is not taken for it (T14)', async () => {
    const keys = async (input: object, effect: 'read' | 'idempotent'): Promise<string> => {
      const ledger = new Ledger();
      const { axle } = await openWorld({
        tools: [ledgerTool(ledger, 'look', { effect })],
        turns: [{ calls: [{ name: 'look', input }] }, 'done'],
        axle: { ports: { ids: { create: (prefix) => `${prefix}_1` } } },
      });
      await (await axle.start('worker', { input: 'go' })).result();
      await axle.close();
      return ledger.effects[0]?.key ?? '';
    };
    const all = [await keys({ of: 1 }, 'read'), await keys({ of: 2 }, 'read'), await keys({ of: 1 }, 'idempotent')];
    expect(new Set(all).size).toBe(3);
    expect(await keys({ of: 1 }, 'read')).toBe(all[0]);
  });
});
