/** Seeded randomness (sfc32): the same seed gives the same draws on every machine. */
export class Draws {
  #a: number;
  #b = 0x9e3779b9;
  #c = 0x243f6a88;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b ^= Math.floor(seed / 2 ** 32) | 0;
    for (let round = 0; round < 12; round += 1) this.next();
  }

  /** A number in [0, 1). */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `bound - 1`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error('There is nothing to pick from.');
    return picked;
  }
}
