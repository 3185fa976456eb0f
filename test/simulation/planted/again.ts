/** A thread that plants bugs and runs the scenario recorded for each: does it still break the law that it broke when it was found? */
import { parentPort, workerData } from 'node:worker_threads';
import { readRecording } from '../scenario/recording.ts';
import { bedOf } from './bed.ts';
import { plantedBugs } from './bugs.ts';

export interface ToTry {
  readonly name: string;
  readonly file: string;
}

export interface Tried {
  readonly name: string;
  readonly laws: readonly string[];
}

async function again({ name, file }: ToTry): Promise<Tried> {
  const bug = plantedBugs.find((other) => other.name === name);
  if (bug === undefined) throw new Error(`There is no planted bug named ${name}.`);
  const { runSchedule } = await bedOf(bug);
  const { violations } = await runSchedule(readRecording(file).scenario);
  return { name, laws: violations.map(({ law }) => law) };
}

const given: unknown = workerData;
if (parentPort !== null && typeof given === 'object' && given !== null && 'toTry' in given) {
  // What `corpus.test.ts` handed over.
  for (const one of given.toTry as readonly ToTry[]) parentPort.postMessage(await again(one));
}
