/**
 * What is heard of a run from one look at it to the next: its rest, where this process may drive it, and otherwise that the store was written to.
 * It listens from when it is made, so that nothing that happens during a look is missed.
 */
import type { InProcessDispatcher, RestOrBroken } from '../dispatch/in-process.ts';
import type { Store } from '../journal/store.ts';
import type { Timers } from '../util/clock.ts';

export interface NewsSources {
  readonly store: Pick<Store, 'onNotice'>;
  readonly timers: Timers;
  /** Undefined for a client, which drives nothing. */
  readonly dispatcher: InProcessDispatcher | undefined;
}

export class RunNews implements Disposable {
  readonly #timers: Timers;
  readonly #signal: AbortSignal | undefined;
  readonly #stopListening: () => void;
  #heard: { readonly rest: RestOrBroken | undefined } | undefined;
  #wake = (): void => {};

  constructor(runId: string, { store, timers, dispatcher }: NewsSources, signal: AbortSignal | undefined) {
    this.#timers = timers;
    this.#signal = signal;
    this.#stopListening =
      dispatcher === undefined
        ? store.onNotice((noticed) => (noticed === undefined || noticed === runId ? this.#hear(undefined) : undefined))
        : dispatcher.onRest(runId, (rest) => this.#hear(rest));
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Resolves when something was heard, the signal aborts, or so many milliseconds have passed; with the rest, where one was told of. */
  async within(limitMs: number): Promise<RestOrBroken | undefined> {
    if (this.#heard === undefined && this.#signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const cancelTimer = this.#timers.after(limitMs, resolve);
        // Named before it is assigned: a function written into a property is tenured by V8 at once, and keeps the run in memory until the next full collection.
        const wake = (): void => {
          cancelTimer();
          resolve();
        };
        this.#wake = wake;
      });
    }
    return this.#heard?.rest;
  }

  /** Listens no more. */
  [Symbol.dispose](): void {
    this.#stopListening();
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => this.#wake();

  #hear(rest: RestOrBroken | undefined): void {
    this.#heard ??= { rest };
    this.#wake();
  }
}
