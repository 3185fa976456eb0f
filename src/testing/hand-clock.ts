/** A clock that a test drives by hand: time passes when the test says so, and due timers fire in order. */
import type { Clock, Timers } from '../util/clock.ts';

export interface HandClock extends Clock, Timers {
  /** Lets time pass; timers fire at their own moments, in order. Ends when everything that they started has had its turn. */
  advance(byMs: number): Promise<void>;
  /** Timers that have not fired. */
  readonly pendingTimers: number;
}

/** A hand-driven clock. It starts at `startMs` (milliseconds since 1970). */
export function createHandClock(startMs = 1_800_000_000_000): HandClock {
  let nowMs = startMs;
  const timers = new Set<{ readonly dueMs: number; readonly task: () => void }>();
  const nextTimer = (untilMs: number): { readonly dueMs: number; readonly task: () => void } | undefined =>
    [...timers].filter((timer) => timer.dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs)[0];
  return {
    nowMs: () => nowMs,
    after: (delayMs, task) => {
      const timer = { dueMs: nowMs + delayMs, task };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    soon: (task) => {
      setImmediate(task);
    },
    advance: async (byMs) => {
      const untilMs = nowMs + byMs;
      await settled();
      for (let timer = nextTimer(untilMs); timer !== undefined; timer = nextTimer(untilMs)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.dueMs);
        timer.task();
        await settled();
      }
      nowMs = untilMs;
      await settled();
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}

/** Promises and immediates that lead to each other have had their turn after some rounds. */
async function settled(): Promise<void> {
  for (let round = 0; round < 50; round += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}
