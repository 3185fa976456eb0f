/** Which process is killed where: at each named point until all were hit, and at random. */
import type { CrashPoint } from './list-points.ts';
import { oneOf, wholeBetween } from './random.ts';

/** How one life ends: at the `pass`-th pass of any of some points, or else when `lifeMs` are over. */
export interface LifePlan {
  readonly armed?: { readonly points: readonly string[]; readonly pass: number };
  readonly lifeMs: number;
  /** Counted from the open store, or from the order to open it, so that a process is killed while it recovers too. */
  readonly from: 'open' | 'order';
  /** What happens when the time is over: a kill, or an orderly close, whose points would else never be passed. */
  readonly end: 'kill' | 'close';
}

/** Passed only by a process that makes a new store. */
const birthFile = 'journal/sqlite/open-database.ts';
/** Lives that hit nothing new before an orderly close is tried. */
const vainBeforeClose = 6;
/** New stores made for a point at most. */
const maxBirths = 6;

export class KillPlan {
  readonly #names: readonly string[];
  readonly #birthNames: readonly string[];
  readonly #random: () => number;
  readonly #eagerness: number;
  readonly #hits = new Set<string>();
  #vain = 0;
  #births = 0;

  /** `eagerness` is how many of the lives look for points, from 0 to 1, while there are some that were not hit. */
  constructor(points: readonly CrashPoint[], random: () => number, eagerness: number) {
    this.#names = points.map((point) => point.name);
    this.#birthNames = points.filter((point) => point.file === birthFile).map((point) => point.name);
    this.#random = random;
    this.#eagerness = eagerness;
  }

  hit(name: string): void {
    if (!this.#hits.has(name)) this.#vain = 0;
    this.#hits.add(name);
  }

  get unhit(): readonly string[] {
    return this.#names.filter((name) => !this.#hits.has(name));
  }

  get hitCount(): number {
    return this.#hits.size;
  }

  next(program: 'worker' | 'client'): LifePlan {
    const random = this.#random;
    const unhit = this.unhit.filter((name) => !this.#birthNames.includes(name));
    if (unhit.length > 0 && random() < this.#eagerness) {
      this.#vain += 1;
      // The fewer are left, the rarer they are.
      const armed = { points: unhit, pass: wholeBetween(random, 1, unhit.length) };
      return { armed, lifeMs: 1_000, from: 'open', end: this.#vain > vainBeforeClose ? 'close' : 'kill' };
    }
    if (unhit.length === 0 && random() < 0.3) {
      const armed = { points: [oneOf(random, this.#names)], pass: wholeBetween(random, 1, 20) };
      return { armed, lifeMs: 300, from: 'open', end: 'kill' };
    }
    return program === 'client'
      ? { lifeMs: wholeBetween(random, 200, 2_500), from: 'open', end: 'kill' }
      : randomWorkerLife(random);
  }

  /** A point of the making of a store that was not hit yet. */
  nextBirth(): string | undefined {
    const unhit = this.#birthNames.filter((name) => !this.#hits.has(name));
    if (unhit.length === 0 || this.#births >= maxBirths) return undefined;
    this.#births += 1;
    return oneOf(this.#random, unhit);
  }
}

function randomWorkerLife(random: () => number): LifePlan {
  const draw = random();
  if (draw < 0.15) return { lifeMs: wholeBetween(random, 0, 30), from: 'order', end: 'kill' };
  if (draw < 0.7) return { lifeMs: wholeBetween(random, 0, 60), from: 'open', end: 'kill' };
  return { lifeMs: wholeBetween(random, 60, draw < 0.95 ? 350 : 900), from: 'open', end: 'kill' };
}
