/** A thread that plants bugs, one after another, and looks for each, seed by seed. */
import { parentPort, workerData } from 'node:worker_threads';
import { bedOf } from './bed.ts';
import { plantedBugs } from './bugs.ts';

export interface Hunted {
  readonly bug: string;
  /** Undefined when the bug was not found. */
  readonly seed?: number;
  /** What it broke in the schedule that found it. */
  readonly laws?: readonly string[];
  readonly message?: string;
  /** When the bug could not be planted. */
  readonly failure?: string;
}

/** Seeds tried for a bug. */
const maxSeeds = 4_000;

async function hunt(name: string): Promise<Hunted> {
  try {
    const bug = plantedBugs.find((other) => other.name === name);
    if (bug === undefined) throw new Error(`There is no planted bug named ${name}.`);
    const { generate, runSchedule } = await bedOf(bug);
    for (let seed = 1; seed <= maxSeeds; seed += 1) {
      const { violations } = await runSchedule(generate(seed)).catch(asViolation);
      const first = violations.find(({ law }) => bug.law === undefined || law === bug.law);
      if (first === undefined) continue;
      return { bug: name, seed, laws: [...new Set(violations.map(({ law }) => law))], message: first.message };
    }
    return { bug: name };
  } catch (error) {
    return { bug: name, failure: String(error) };
  }
}

/** A bug that breaks the judges themselves is found too. */
function asViolation(error: unknown): {
  readonly violations: readonly { readonly law: string; readonly message: string }[];
} {
  return { violations: [{ law: 'threw', message: String(error) }] };
}

const given: unknown = workerData;
if (parentPort !== null && typeof given === 'object' && given !== null && 'huntFor' in given) {
  // What `main.ts` handed over.
  for (const name of given.huntFor as readonly string[]) parentPort.postMessage(await hunt(name));
}
