/** What a planted bug is tried with: the modules of its own graph. */
import type * as generating from '../scenario/generate.ts';
import type * as scheduling from '../schedule.ts';
import { plant } from './apply.ts';
import type { PlantedBug } from './planted-bug.ts';

export interface Bed {
  readonly generate: typeof generating.generate;
  readonly runSchedule: typeof scheduling.runSchedule;
}

/** @throws Error when the bug cannot be planted */
export async function bedOf(bug: PlantedBug): Promise<Bed> {
  const planted = plant(bug);
  // What is loaded are these two modules, with a bug in what they import.
  const { generate } = (await planted.load('test/simulation/scenario/generate.ts')) as typeof generating;
  const { runSchedule } = (await planted.load('test/simulation/schedule.ts')) as typeof scheduling;
  planted.check();
  return { generate, runSchedule };
}
