/**
 * Tokens that come back with time: a call takes one, a rest fills the bucket up to its burst.
 *
 * K1 In a time T no more are taken than the burst and what the rate brings in T, however the clock is read: one that was set back brings nothing, one that was
 *    set forward a burst at most.
 */
import type { Rate } from '../../contract/upstream-settings.ts';

/** A bucket as it stood at a time. */
export interface Filling {
  readonly tokens: number;
  readonly atMs: number;
}

/** Sums of parts of tokens may miss a whole one by this much. */
const slack = 1e-9;

export class TokenBucket {
  readonly #tokensPerMs: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;

  constructor({ calls, perMs }: Rate, burst: number, { tokens, atMs }: Filling) {
    this.#tokensPerMs = calls / perMs;
    this.#burst = burst;
    this.#tokens = Math.min(burst, Math.max(0, tokens));
    this.#atMs = atMs;
  }

  filling(nowMs: number): Filling {
    const passedMs = Math.max(0, nowMs - this.#atMs);
    this.#tokens = Math.min(this.#burst, this.#tokens + passedMs * this.#tokensPerMs);
    this.#atMs = nowMs;
    return { tokens: this.#tokens, atMs: nowMs };
  }

  /** Whole milliseconds until a token is there; 0 when there is one. */
  waitMs(nowMs: number): number {
    const missing = 1 - slack - this.filling(nowMs).tokens;
    return missing <= 0 ? 0 : Math.ceil(missing / this.#tokensPerMs);
  }

  /** Only when `waitMs` is 0. */
  take(): void {
    this.#tokens = Math.max(0, this.#tokens - 1);
  }
}
