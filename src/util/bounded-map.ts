/** A map that forgets what was set first once it is full. */
export class BoundedMap<Key, Value> {
  readonly #most: number;
  readonly #items = new Map<Key, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: Key): Value | undefined {
    return this.#items.get(key);
  }

  set(key: Key, value: Value): void {
    this.#items.delete(key);
    this.#items.set(key, value);
    const [oldest] = this.#items.keys();
    if (this.#items.size > this.#most && oldest !== undefined) this.#items.delete(oldest);
  }
}
