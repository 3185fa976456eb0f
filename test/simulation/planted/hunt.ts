/** A thread that plants one bug and looks for it, seed by seed. */
import { parentPort, workerData } from 'node:worker_threads';
import { plant } from './apply.ts';
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
export const maxSeeds = 2_000;

async function hunt(name: string): Promise<Hunted> {
  const bug = plantedBugs.find((other) => other.name === name);
  if (bug === undefined) return { bug: name, failure: 'There is no such bug.' };
  try {
    const check = plant(bug);
    // Imported only now, so that the text is changed.
    const { generate } = await import('../scenario/generate.ts');
    const { runSchedule } = await import('../schedule.ts');
    check();
    for (let seed = 1; seed <= maxSeeds; seed += 1) {
      const { violations } = await runSchedule(generate(seed)).catch((error: unknown) => ({
        violations: [{ law: 'threw', message: String(error) }],
      }));
      const [first] = violations;
      if (first !== undefined) {
        return { bug: name, seed, laws: [...new Set(violations.map(({ law }) => law))], message: first.message };
      }
    }
    return { bug: name };
  } catch (error) {
    return { bug: name, failure: String(error) };
  }
}

// Started as a thread with the bug's name; imported for its types, it does nothing.
const given: unknown = workerData;
if (parentPort !== null && typeof given === 'object' && given !== null && 'huntFor' in given) {
  parentPort.postMessage(await hunt(String(given.huntFor)));
}
