/**
 * Those who wait, served in turn over their runs.
 *
 * Q1 Each run that waits is served once before any is served again; those of one run come in their order.
 * Q2 When there are too many, the newest of the run that has most makes room, unless the newcomer's own run has as many: who asks for little is not turned
 *    away because others ask for much.
 */
export interface Waiting {
  readonly runId: string;
}

export class FairQueue<W extends Waiting> {
  /** In the order of their turns: a run that was served goes to the end. A `Map` keeps the order of insertion. */
  readonly #runs = new Map<string, W[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(waiter: W): void {
    const own = this.#runs.get(waiter.runId);
    if (own === undefined) this.#runs.set(waiter.runId, [waiter]);
    else own.push(waiter);
    this.#size += 1;
  }

  /** Whose turn it is. */
  get first(): W | undefined {
    for (const own of this.#runs.values()) return own[0];
    return undefined;
  }

  /** Takes out whose turn it is. */
  next(): W | undefined {
    for (const [runId, own] of this.#runs) {
      const first = own.shift();
      this.#runs.delete(runId);
      if (first === undefined) continue;
      if (own.length > 0) this.#runs.set(runId, own);
      this.#size -= 1;
      return first;
    }
    return undefined;
  }

  has(waiter: W): boolean {
    return this.#runs.get(waiter.runId)?.includes(waiter) ?? false;
  }

  /** False when it did not wait any more. */
  remove(waiter: W): boolean {
    const own = this.#runs.get(waiter.runId);
    const index = own?.indexOf(waiter) ?? -1;
    if (own === undefined || index < 0) return false;
    own.splice(index, 1);
    if (own.length === 0) this.#runs.delete(waiter.runId);
    this.#size -= 1;
    return true;
  }

  /** Takes out all, in the order of their turns. */
  drain(): readonly W[] {
    const all: W[] = [];
    for (let waiter = this.next(); waiter !== undefined; waiter = this.next()) all.push(waiter);
    return all;
  }

  /** Takes out who has to go when one too many waits (Q2). */
  dropOne(newcomer: W): W {
    let longest = this.#runs.get(newcomer.runId) ?? [];
    for (const own of this.#runs.values()) if (own.length > longest.length) longest = own;
    const dropped = longest.at(-1) ?? newcomer;
    this.remove(dropped);
    return dropped;
  }
}
