/** What a sender had to give up: counted, and told to whoever wants to hear of it. */

/** Told with how many, and why. What it throws ends here. */
export type OnDropped = (count: number, reason: unknown) => void;

export class Losses {
  readonly #onDropped: OnDropped | undefined;
  count = 0;

  constructor(onDropped: OnDropped | undefined) {
    this.#onDropped = onDropped;
  }

  add(count: number, reason: unknown): void {
    this.count += count;
    try {
      this.#onDropped?.(count, reason);
    } catch {
      // There is nobody left to tell.
    }
  }

  /** Of what a collector took, the part that it says it refused. */
  addRefused(count: number): void {
    if (count > 0) this.add(count, new Error('The collector refused a part of what it was sent.'));
  }
}
