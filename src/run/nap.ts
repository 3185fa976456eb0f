/** The rest of a driver: until work ends, something is posted, or a time is reached. */
import type { CancelTimer, Timers } from '../util/clock.ts';

/** No timer waits longer, so that no wait is too long for a timer; what is then not due is waited for again. */
const longestMs = 3_600_000;

export class Nap {
  readonly #timers: Pick<Timers, 'after'>;
  #wake: (() => void) | undefined;
  /** Something happened while nobody was waiting. */
  #isStirred = false;
  /** The time that the last timer waited for: so much time has passed, whatever the clock says. */
  reachedMs = -Infinity;

  constructor(timers: Pick<Timers, 'after'>) {
    this.#timers = timers;
  }

  /** Something happened: ends this rest, or the next one. */
  stir(): void {
    this.#isStirred = true;
    this.#wake?.();
  }

  /** Resolves once something happened, or `wakeAtMs` is reached; true for the last. */
  async until(wakeAtMs: number | undefined, nowMs: number): Promise<boolean> {
    let cancelTimer: CancelTimer = () => {};
    let isTime = false;
    if (!this.#isStirred) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (wakeAtMs === undefined) return;
        const delayMs = Math.max(0, wakeAtMs - nowMs);
        cancelTimer = this.#timers.after(Math.min(delayMs, longestMs), () => {
          isTime = delayMs <= longestMs;
          if (isTime) this.reachedMs = wakeAtMs;
          resolve();
        });
      });
    }
    this.#wake = undefined;
    this.#isStirred = false;
    cancelTimer();
    return isTime;
  }
}
