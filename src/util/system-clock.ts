/** The machine's clock and timers, as ports. */
import { AxleError } from '../error/axle-error.ts';
import type { CancelTimer, Clock, Timers } from './clock.ts';

/** Node fires longer timers at once. */
const longestTimerMs = 2_147_483_647;

/** The longest wait that makes sense: 366 days. */
export const longestWaitMs = 366 * 86_400_000;

export const systemClock: Clock = { nowMs: () => Date.now() };

export const systemTimers: Timers = {
  after: (delayMs, task) => {
    if (!Number.isFinite(delayMs) || delayMs < 0 || delayMs > longestWaitMs) {
      throw new AxleError('timer-out-of-range', `A wait of ${delayMs} ms is not between 0 and ${longestWaitMs} ms.`);
    }
    if (delayMs > longestTimerMs) return waitLonger(delayMs, task);
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
  soon: (task) => {
    setImmediate(task);
  },
};

function waitLonger(delayMs: number, task: () => void): CancelTimer {
  let timer: NodeJS.Timeout;
  const arm = (remainingMs: number): void => {
    const partMs = Math.min(remainingMs, longestTimerMs);
    timer = setTimeout(() => {
      if (remainingMs <= partMs) task();
      else arm(remainingMs - partMs);
    }, partMs);
  };
  arm(delayMs);
  return () => clearTimeout(timer);
}
