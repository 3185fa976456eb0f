import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { agent, createAxle, tool } from '../../src/axle.ts';
import { LookPause } from '../../src/facade/look-pause.ts';
import { createMemoryStore } from '../../src/journal/memory/memory-store.ts';
import type { RunSummary, Store } from '../../src/journal/store.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { scriptedBrain } from '../../src/testing.ts';
import type { Timers } from '../../src/util/clock.ts';

/** Time that passes when it is told to. */
class HandTimers implements Timers {
  nowMs = 1_800_000_000_000;
  #timers: { readonly dueAtMs: number; readonly task: () => void }[] = [];

  after(delayMs: number, task: () => void): () => void {
    const timer = { dueAtMs: this.nowMs + delayMs, task };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  soon(task: () => void): void {
    queueMicrotask(task);
  }

  /** Lets time pass, and everything that comes of it happen. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    for (;;) {
      await setImmediate();
      const [next] = this.#timers.toSorted((left, right) => left.dueAtMs - right.dueAtMs);
      if (next === undefined || next.dueAtMs > untilMs) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.nowMs = next.dueAtMs;
      next.task();
    }
    this.nowMs = untilMs;
  }
}

const pay = tool({ name: 'pay', description: 'Pays.', risk: 'high', input: { type: 'object' }, execute: () => 'paid' });
const payer = agent({
  name: 'payer',
  tools: ['pay'],
  approvalTtl: '2d',
  model: scriptedBrain([{ calls: [{ name: 'pay', input: {} }] }, 'Paid.']),
});

function summaryOf(change: { seq?: number; hasPosts?: boolean; state?: 'active' | 'waiting'; wakeAtMs?: number }) {
  const { seq = 3, hasPosts = false, state = 'waiting', wakeAtMs } = change;
  const status = { state, waitingOn: [], steps: 1, ...(wakeAtMs === undefined ? {} : { wakeAtMs }) };
  const summary: RunSummary = {
    runId: 'run_1',
    kind: 'agent',
    subject: 'payer',
    createdAtMs: 0,
    updatedAtMs: 0,
    epoch: 1,
    seq,
    status,
    hasPosts,
  };
  return summary;
}

function pausesAfter(...found: readonly RunSummary[]): readonly number[] {
  const pause = new LookPause({ longestMs: 5_000 });
  return found.map((summary) => {
    pause.found(summary, 1_000);
    return pause.nextMs(1_000);
  });
}

describe('whoever waits for a run (S1)', () => {
  it('looks ever more seldom while it rests as it was, and soon again when something has changed', () => {
    const resting = summaryOf({});
    expect(pausesAfter(...Array.from({ length: 9 }, () => resting))).toEqual([
      50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000,
    ]);
    expect(pausesAfter(resting, resting, resting, summaryOf({ seq: 4 }))).toEqual([50, 100, 200, 50]);
    expect(pausesAfter(resting, resting, summaryOf({ hasPosts: true }))).toEqual([50, 100, 50]);
  });

  it('looks often at one that is under way', () => {
    const active = summaryOf({ state: 'active' });
    expect(pausesAfter(active, active, active)).toEqual([50, 50, 50]);
  });

  it('looks when the time comes that the run waits for, and soon after it', () => {
    const soonDue = summaryOf({ wakeAtMs: 1_020 });
    expect(pausesAfter(soonDue, soonDue, soonDue)).toEqual([50, 70, 70]);
    const pause = new LookPause({ longestMs: 5_000 });
    for (const nowMs of [1_000, 1_010]) pause.found(soonDue, nowMs);
    pause.found(soonDue, 1_030);
    expect(pause.nextMs(1_030)).toBe(50);
  });

  it('looks less than a thousand times in an hour, and hears of the end at once', async () => {
    const timers = new HandTimers();
    let looks = 0;
    const memory = createMemoryStore();
    const store: Store = wrapStore(memory, {
      run: async (runId) => {
        looks += 1;
        return memory.run(runId);
      },
    });
    const ports = { timers, clock: { nowMs: () => timers.nowMs } };
    await using axle = await createAxle({ store, tools: [pay], agents: [payer], ports });
    const run = await axle.start('payer', { input: 'pay' });
    const result = run.result({ until: 'ended' });
    await timers.pass(3_600_000);
    expect(looks).toBeLessThan(1_000);
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    expect(await result).toMatchObject({ status: 'completed', output: 'Paid.' });
  });
});
