/**
 * The sync that nobody waits for: the outcome of an effect goes to the disk a little later, behind the run's back. The next effect and the finish wait for a sync
 * of their own, which then covers it. Losing an outcome to a power cut before that leaves a doubt where it was, never a repetition.
 */
import type { Position, Store } from '../journal/store.ts';
import type { CancelTimer, Timers } from '../util/clock.ts';

/** How long an outcome may wait for a sync that covers it anyway. */
const delayMs = 5;

export class SyncBehind {
  readonly #store: Pick<Store, 'synced'>;
  readonly #timers: Timers;
  #position: Position = 0;
  #cancelTimer: CancelTimer | undefined;

  constructor(store: Pick<Store, 'synced'>, timers: Timers) {
    this.#store = store;
    this.#timers = timers;
  }

  /** Syncs what is committed up to `position`, soon. */
  soon(position: Position): void {
    this.#position = position;
    this.#cancelTimer ??= this.#timers.after(delayMs, () => this.flush());
  }

  /** Syncs what is left at once, when something is. */
  flush(): void {
    if (this.#cancelTimer === undefined) return;
    this.#cancelTimer();
    this.#cancelTimer = undefined;
    this.#store.synced(this.#position).catch(toldByTheStore);
  }
}

// A failed sync ends the process by itself; a closed store has nothing left to say.
function toldByTheStore(): void {}
