/**
 * How long whoever waits for a run lets pass before looking at it again.
 *
 *   active, with posts to take in, or found changed ──► 50 ms ──(rests as it was)──► 100 ms ──► … ──► the longest
 *
 * A run may rest for days: it is looked at ever more seldom, and anew when its time comes.
 */
import type { RunSummary } from '../journal/store.ts';

const shortestMs = 50;

export class LookPause {
  readonly #longestMs: number;
  #pauseMs = shortestMs;
  #found = '';
  #wakeAtMs = -Infinity;

  constructor({ longestMs }: { readonly longestMs: number }) {
    this.#longestMs = longestMs;
  }

  /** Takes in how the run was found. */
  found({ epoch, seq, status, hasPosts }: RunSummary, nowMs: number): void {
    this.#wakeAtMs = status.wakeAtMs ?? -Infinity;
    const isDue = this.#wakeAtMs <= nowMs;
    const found = `${epoch} ${seq} ${isDue}`;
    const rests = status.state !== 'active' && !hasPosts && found === this.#found;
    this.#pauseMs = rests ? Math.min(this.#pauseMs * 2, this.#longestMs) : shortestMs;
    this.#found = found;
  }

  /** Milliseconds until the next look. */
  nextMs(nowMs: number): number {
    const untilDueMs = this.#wakeAtMs - nowMs;
    return untilDueMs > 0 ? Math.min(this.#pauseMs, untilDueMs + shortestMs) : this.#pauseMs;
  }
}
