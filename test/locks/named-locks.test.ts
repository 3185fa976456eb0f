/** The invariants N1 to N4 of `src/execute/locks/named-locks.ts`. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LockMode } from '../../src/call/lock-terms.ts';
import { type LockAnswer, NamedLocks } from '../../src/execute/locks/named-locks.ts';
import type { RunFilter, RunSummary, Store } from '../../src/journal/store.ts';
import { createHandClock, createMemoryStore, type HandClock } from '../../src/testing.ts';

type Wanted = Readonly<Record<string, LockMode>>;

describe('named locks (S8)', () => {
  let clock: HandClock;
  let locks: NamedLocks;
  let store: Pick<Store, 'runs'>;

  beforeEach(() => {
    clock = createHandClock();
    store = createMemoryStore();
    locks = new NamedLocks({ store, clock, timers: clock });
  });
  afterEach(() => expect(clock.pendingTimers).toBe(0));

  /** A call that asks for locks, and what came of it so far. */
  class Asker {
    readonly controller = new AbortController();
    answer: LockAnswer | undefined;
    readonly runId: string;
    readonly callId: string;

    constructor(name: string, wanted: Wanted, maxWaitMs = 1_000) {
      const [runId = '', callId = '1.0'] = name.split('/');
      this.runId = runId;
      this.callId = callId;
      const asked = Object.entries(wanted).map(([lock, mode]) => ({ name: lock, mode, maxWaitMs, keptInDoubt: false }));
      const { signal } = this.controller;
      void locks.take({ runId, callId, locks: asked, signal }).then((answer) => {
        this.answer = answer;
      });
    }

    get has(): boolean {
      return this.answer?.kind === 'taken';
    }

    giveBack(): void {
      locks.settle(this.runId, (callId) => (callId === this.callId ? 'over' : 'needed'));
    }
  }

  it('are given to one call, and to the next when that one gives them back (N1)', async () => {
    const [first, second] = [new Asker('a', { order: 'exclusive' }), new Asker('b', { order: 'exclusive' })];
    const other = new Asker('c', { invoice: 'exclusive' });
    await clock.advance(0);
    expect([first.has, second.has, other.has]).toEqual([true, false, true]);
    first.giveBack();
    await clock.advance(0);
    expect(second.has).toBe(true);
  });

  it('are shared by those who share them, and nobody who shares overtakes one who does not (N1, N3)', async () => {
    const readers = [new Asker('a', { order: 'shared' }), new Asker('b', { order: 'shared' })];
    const writer = new Asker('c', { order: 'exclusive' });
    const late = new Asker('d', { order: 'shared' });
    await clock.advance(0);
    expect([...readers, writer, late].map(({ has }) => has)).toEqual([true, true, false, false]);
    for (const reader of readers) reader.giveBack();
    await clock.advance(0);
    expect([writer.has, late.has]).toEqual([true, false]);
    writer.giveBack();
    await clock.advance(0);
    expect(late.has).toBe(true);
  });

  it('are had together or not at all: what was taken first is given back when the wait for the next ends (N2)', async () => {
    const holder = new Asker('a', { b: 'exclusive' });
    const both = new Asker('b', { a: 'exclusive', b: 'exclusive' }, 500);
    await clock.advance(0);
    const third = new Asker('c', { a: 'exclusive' });
    await clock.advance(499);
    expect([holder.has, both.answer, third.has]).toEqual([true, undefined, false]);
    await clock.advance(1);
    expect(both.answer).toMatchObject({
      kind: 'refused',
      lock: 'b',
      failure: {
        code: 'lock-wait-too-long',
        class: 'retryable',
        evidence: 'none',
        message: 'The call waited 500 ms for the lock b, as long as it may: call 1.0 of run a has it.',
        details: { lock: 'b', runId: 'a', callId: '1.0', inDoubt: false },
      },
    });
    expect(third.has).toBe(true);
  });

  it('are served in turn over runs (N3)', async () => {
    const holder = new Asker('z', { order: 'exclusive' });
    await clock.advance(0);
    const many = [1, 2, 3].map((call) => new Asker(`a/1.${call}`, { order: 'exclusive' }));
    const few = new Asker('b', { order: 'exclusive' });
    await clock.advance(0);
    const order: string[] = [];
    let current = holder;
    for (let round = 0; round < 4; round += 1) {
      current.giveBack();
      await clock.advance(0);
      const next = [...many, few].find((one) => one.has && !order.includes(`${one.runId}/${one.callId}`));
      if (next === undefined) throw new Error('Nobody was served.');
      order.push(`${next.runId}/${next.callId}`);
      current = next;
    }
    expect(order).toEqual(['a/1.1', 'b/1.0', 'a/1.2', 'a/1.3']);
  });

  it('are left at once by one who is cancelled, and those behind it come forward (N3)', async () => {
    const reader = new Asker('a', { order: 'shared' });
    const writer = new Asker('b', { order: 'exclusive' });
    const late = new Asker('c', { order: 'shared' });
    await clock.advance(0);
    writer.controller.abort();
    await clock.advance(0);
    expect([reader.has, writer.answer, late.has]).toEqual([true, { kind: 'left' }, true]);
  });

  it('refuse a call when 1,000 others wait, first one of the run that has most of them (N3, L13)', async () => {
    const holder = new Asker('z', { order: 'exclusive' });
    await clock.advance(0);
    const many = Array.from({ length: 1_000 }, (_, place) => new Asker(`a/1.${place}`, { order: 'exclusive' }));
    await clock.advance(0);
    const one = new Asker('b', { order: 'exclusive' });
    await clock.advance(0);
    expect(one.answer).toBeUndefined();
    expect(many.filter(({ answer }) => answer !== undefined).map(({ answer }) => answer)).toMatchObject([
      { kind: 'refused', failure: { code: 'lock-queue-full', class: 'retryable' } },
    ]);
    for (const waiter of [...many, one]) waiter.controller.abort();
    holder.giveBack();
    await clock.advance(0);
  });

  describe('that a doubt has kept over a restart (N4)', () => {
    const kept: RunSummary = {
      runId: 'old',
      kind: 'call',
      subject: 'pay',
      createdAtMs: 0,
      updatedAtMs: 0,
      epoch: 1,
      seq: 9,
      hasPosts: false,
      status: { state: 'waiting', waitingOn: [], steps: 1, keptLocks: [{ callId: '1.0', name: 'order' }] },
    };
    const filters: RunFilter[] = [];
    let answer = Promise.withResolvers<readonly RunSummary[]>();

    beforeEach(() => {
      filters.length = 0;
      answer = Promise.withResolvers();
      store.runs = (filter = {}) => {
        filters.push(filter);
        return answer.promise;
      };
    });

    it('are had by the call in doubt before anybody is given one, and by the next when it is settled', async () => {
      const next = new Asker('new', { order: 'exclusive' }, 100);
      const other = new Asker('other', { invoice: 'exclusive' });
      await clock.advance(0);
      expect([next.has, other.has]).toEqual([false, false]);
      answer.resolve([kept]);
      await clock.advance(100);
      expect(filters).toEqual([{ keepsLocks: true, limit: 1_000 }]);
      expect(other.has).toBe(true);
      expect(next.answer).toMatchObject({
        failure: {
          message:
            'The call waited 100 ms for the lock order, as long as it may: call 1.0 of run old is in doubt and keeps it until somebody settles that (axle resolve old/1.0).',
          details: { inDoubt: true },
        },
      });
      const later = new Asker('later', { order: 'exclusive' });
      await clock.advance(0);
      locks.adopt('old', [{ callId: '1.0', name: 'order' }]);
      locks.settle('old', () => 'over');
      await clock.advance(0);
      expect(later.has).toBe(true);
    });

    it('are free when the doubt was settled while the store was read', async () => {
      const next = new Asker('new', { order: 'exclusive' });
      await clock.advance(0);
      locks.adopt('old', [{ callId: '1.0', name: 'order' }]);
      locks.settle('old', () => 'over');
      answer.resolve([kept]);
      await clock.advance(0);
      expect(next.has).toBe(true);
    });

    it('are read again when the store does not answer, and a call that asks meanwhile may try again', async () => {
      const first = new Asker('a', { invoice: 'exclusive' });
      answer.reject(new Error('The disk is away.'));
      await clock.advance(0);
      expect(first.answer).toMatchObject({ kind: 'refused', failure: { class: 'retryable', evidence: 'none' } });
      answer = Promise.withResolvers();
      answer.resolve([kept]);
      const second = new Asker('b', { invoice: 'exclusive' });
      await clock.advance(0);
      expect(second.has).toBe(true);
    });
  });
});
