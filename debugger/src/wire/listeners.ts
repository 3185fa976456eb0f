/** Whoever wants to hear of a change: the other side of `useSyncExternalStore`. */
export class Listeners {
  readonly #all = new Set<() => void>();

  /** Returns the way to stop. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  tell(): void {
    for (const listener of this.#all) listener();
  }
}
