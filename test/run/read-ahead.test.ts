import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/journal/entry.ts';
import type { Store } from '../../src/journal/store.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { createHandClock, createMemoryStore } from '../../src/testing.ts';
import { Ledger, ledgerTool, openWorld } from './world.ts';

const look = { calls: [{ name: 'look', input: {} }] };
/** The first look shows that the tool answers at once. */
const lookTwice = [look, look, 'done'];

/** The types of entries, append by append, without the first two appends: the run accepted, and the model asked. */
async function appendsOf(store: Store, runId: string): Promise<readonly (readonly string[])[]> {
  return (await store.read(runId)).slice(2).map(({ entries }) => entries.map(({ type }) => type));
}

/** A store that holds back the append which announces the second attempt, until it is let go. */
function heldStore(): { readonly store: Store; readonly reached: Promise<void>; readonly letGo: () => void } {
  const inner = createMemoryStore();
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const announces = (entry: Entry): boolean => entry.type === 'attempt-started';
  let announcements = 0;
  const store = wrapStore(inner, {
    append: async (batch) => {
      if (batch.append.entries.some(announces) && (announcements += 1) === 2) {
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
  it('that answers at once makes each later turn one append', async () => {
    const { axle, store } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'look', { effect: 'read' })],
      turns: [...Array.from({ length: 5 }, (_, n) => ({ calls: [{ name: 'look', input: { n } }] })), 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    const turn = [...announced, ...answered];
    expect(await appendsOf(store, run.id)).toEqual([announced, answered, turn, turn, turn, turn, ended]);
  });

  it('that takes its time is announced before it answers, also where its tool was quick before', async () => {
    const reply = Promise.withResolvers<string>();
    const run = (input: unknown) => (JSON.stringify(input) === '{"n":2}' ? reply.promise : 'seen');
    const { axle, store, clock } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'look', { effect: 'read', run })],
      turns: [...[1, 2, 3, 4].map((n) => ({ calls: [{ name: 'look', input: { n } }] })), 'done'],
    });
    const started = await axle.start('worker', { input: 'go' });
    await clock.advance(0);
    expect(await appendsOf(store, started.id)).toEqual([announced, answered, announced]);
    reply.resolve('seen');
    await started.result();
    expect((await appendsOf(store, started.id)).slice(2)).toEqual([
      announced,
      answered,
      announced,
      answered,
      [...announced, ...answered],
      ended,
    ]);
  });

  it('that held the thread up for longer than a millisecond stands in an append with a time of its own', async () => {
    const clock = createHandClock();
    let lateMs = 0;
    const slow = { ...clock, nowMs: () => clock.nowMs() + lateMs };
    const { axle, store } = await openWorld({
      clock: slow,
      tools: [ledgerTool(new Ledger(), 'look', { effect: 'read', run: () => void (lateMs += 40) })],
      turns: lookTwice,
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    expect(await appendsOf(store, run.id)).toEqual([announced, answered, announced, answered, ended]);
    const times = (await store.read(run.id)).slice(2).map(({ atMs }) => atMs - clock.nowMs());
    expect(times).toEqual([0, 40, 40, 80, 80]);
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
        return turn < 2 ? look : 'done';
      },
    });
    const run = await axle.start('worker', { input: 'go' });
    await reached;
    await clock.advance(0);
    expect([ledger.of('look'), asked]).toEqual([2, 2]);
    letGo();
    await run.result();
    expect([ledger.of('look'), asked]).toEqual([2, 3]);
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
      turns: lookTwice,
      axle: { durability },
    });
    const run = await axle.start('worker', { input: 'go' });
    await reached;
    await clock.advance(0);
    expect(ledger.of('look')).toBe(1);
    letGo();
    await run.result();
    expect(ledger.of('look')).toBe(2);
  });

  it('whose tool is down goes to the next one only after its failure is committed', async () => {
    const down = (): Promise<never> => Promise.reject(Object.assign(new Error('down'), { status: 503 }));
    const { axle, store } = await openWorld({
      tools: [
        ledgerTool(new Ledger(), 'look', { effect: 'read', retry: { attempts: 1 }, fallback: ['see'], run: down }),
        ledgerTool(new Ledger(), 'see', { effect: 'read', run: () => 'seen' }),
      ],
      agent: { tools: ['look'] },
      turns: lookTwice,
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    const fails = ['attempt-finished', 'call-fell-back', 'call-decided', 'attempt-started'];
    expect(await appendsOf(store, run.id)).toEqual([
      announced,
      fails,
      answered,
      [...announced, ...fails],
      answered,
      ended,
    ]);
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
