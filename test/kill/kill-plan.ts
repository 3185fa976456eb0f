/** Which process is killed where: at each named point until all were hit, and at random. */
import type { CrashPoint } from './list-points.ts';
import { oneOf, wholeBetween } from './random.ts';

/** How one life ends: at the `pass`-th pass of a point, or else when `lifeMs` are over. */
export interface LifePlan {
  readonly point?: { readonly name: string; readonly pass: number };
  readonly lifeMs: number;
  /** Counted from the open store, or from the order to open it, so that a process is killed while it recovers too. */
  readonly from: 'open' | 'order';
  /** What happens when the time is over: a kill, or an orderly close, whose points would else never be passed. */
  readonly end: 'kill' | 'close';
}

type Program = 'worker' | 'client';

/** Passed only by a process that makes a new store. */
const birthFile = 'journal/sqlite/open-database.ts';
/** After so many lives that did not pass a point, an orderly close is tried for it. */
const triesBeforeClose = 3;

export class KillPlan {
  readonly #names: readonly string[];
  readonly #birthNames: readonly string[];
  readonly #random: () => number;
  readonly #eagerness: number;
  readonly #hits = new Set<string>();
  readonly #tries = {
    worker: new Map<string, number>(),
    client: new Map<string, number>(),
    birth: new Map<string, number>(),
  };

  /** `eagerness` is how many of the lives look for a point, from 0 to 1, while there are some that were not hit. */
  constructor(points: readonly CrashPoint[], random: () => number, eagerness: number) {
    this.#names = points.map((point) => point.name);
    this.#birthNames = points.filter((point) => point.file === birthFile).map((point) => point.name);
    this.#random = random;
    this.#eagerness = eagerness;
  }

  hit(name: string): void {
    this.#hits.add(name);
  }

  get unhit(): readonly string[] {
    return this.#names.filter((name) => !this.#hits.has(name));
  }

  get hitCount(): number {
    return this.#hits.size;
  }

  next(program: Program): LifePlan {
    const random = this.#random;
    const unhit = this.#leastTried(
      program,
      this.unhit.filter((name) => !this.#birthNames.includes(name)),
    );
    if (unhit !== undefined && random() < this.#eagerness) {
      const tries = count(this.#tries[program], unhit);
      // A later pass at first; then the first one, and a longer life each time it was not reached.
      const pass = tries === 1 ? wholeBetween(random, 1, 3) : 1;
      return {
        point: { name: unhit, pass },
        lifeMs: 300 + 300 * Math.min(tries, 6),
        from: 'open',
        end: tries > triesBeforeClose ? 'close' : 'kill',
      };
    }
    if (unhit === undefined && random() < 0.3) {
      return {
        point: { name: oneOf(random, this.#names), pass: wholeBetween(random, 1, 20) },
        lifeMs: 300,
        from: 'open',
        end: 'kill',
      };
    }
    return randomPlan(program, random);
  }

  /** A point of the making of a store that was not hit yet. */
  nextBirth(): string | undefined {
    const name = this.#leastTried(
      'birth',
      this.unhit.filter((unhit) => this.#birthNames.includes(unhit)),
    );
    if (name === undefined || count(this.#tries.birth, name) > triesBeforeClose) return undefined;
    return name;
  }

  #leastTried(place: Program | 'birth', names: readonly string[]): string | undefined {
    const tries = this.#tries[place];
    const least = Math.min(...names.map((name) => tries.get(name) ?? 0));
    const candidates = names.filter((name) => (tries.get(name) ?? 0) === least);
    return candidates.length === 0 ? undefined : oneOf(this.#random, candidates);
  }
}

function randomPlan(program: Program, random: () => number): LifePlan {
  const draw = random();
  if (program === 'client') return { lifeMs: wholeBetween(random, 200, 2_500), from: 'open', end: 'kill' };
  if (draw < 0.15) return { lifeMs: wholeBetween(random, 0, 30), from: 'order', end: 'kill' };
  if (draw < 0.7) return { lifeMs: wholeBetween(random, 0, 60), from: 'open', end: 'kill' };
  return { lifeMs: wholeBetween(random, 60, draw < 0.95 ? 350 : 900), from: 'open', end: 'kill' };
}

function count(tries: Map<string, number>, name: string): number {
  const now = (tries.get(name) ?? 0) + 1;
  tries.set(name, now);
  return now;
}
