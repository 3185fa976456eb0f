/**
 * Things in the order in which they last changed, so that whoever asks what has changed since then looks at that and at nothing else.
 * A chain through the things themselves: a change moves its link to the end.
 */

/** What stands in the order: it carries its own links, which nobody else touches. */
export interface Changing<Item> {
  /** The last entry that changed it, or may have. */
  changedSeq: number;
  older: Item | undefined;
  newer: Item | undefined;
}

export class ChangeOrder<Item extends Changing<Item>> {
  #newest: Item | undefined;

  /** Says that an item has changed, or is there from now on. @param seq Never lower than in the calls before. */
  touch(item: Item, seq: number): void {
    item.changedSeq = seq;
    if (item === this.#newest) return;
    const { older, newer } = item;
    if (older !== undefined) older.newer = newer;
    if (newer !== undefined) newer.older = older;
    if (this.#newest !== undefined) this.#newest.newer = item;
    item.older = this.#newest;
    item.newer = undefined;
    this.#newest = item;
  }

  /** What changed after an entry, the last change first. */
  *since(seq: number): Generator<Item> {
    for (let item = this.#newest; item !== undefined && item.changedSeq > seq; item = item.older) yield item;
  }
}
