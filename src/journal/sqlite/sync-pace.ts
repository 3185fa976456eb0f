/**
 * Where a sync is made: in the thread that asks for it as long as that is quicker than to hand it to another one, which on most disks it is not.
 *
 *   here ──took too long──► handed over, 8 of them ──► here, once ──took too long──► handed over, four times as many ──► ...
 *                                                          └────quick────► here
 *
 * P1 A disk that takes its time holds the loop up for the first sync of a process and then ever more seldom: a dozen times in twenty million syncs. One that is
 *    quick does so once when it stalls. A thread that had to let others run takes long too, and then one sync that is quick makes up for it.
 */

/** Waking a thread, and being woken by it, takes this long in all where threads share a busy processor, and a third of it elsewhere. In milliseconds. */
const handOverMs = 0.05;
const firstHandedOver = 8;
const growth = 4;

export class SyncPace {
  readonly #handOverMs: number;
  #handedOver = firstHandedOver;
  #left = 0;

  /** @param ms How long a hand-over takes. 0: every sync but the tries is handed over; infinite: none is. */
  constructor(ms: number = handOverMs) {
    this.#handOverMs = ms;
  }

  /** Asked once for each sync: true when it is to be made here. */
  isHere(): boolean {
    if (this.#left === 0) return true;
    this.#left -= 1;
    return false;
  }

  /** Told how long a sync took that was made here. */
  tookHere(ms: number): void {
    const isQuick = ms <= this.#handOverMs;
    this.#left = isQuick ? 0 : this.#handedOver;
    this.#handedOver = isQuick ? firstHandedOver : this.#handedOver * growth;
  }
}
