/** A thread that plants a bug and runs one recorded scenario: does it still break the law that it broke when it was found? */
import { parentPort, workerData } from 'node:worker_threads';
import { plant } from './apply.ts';
import { plantedBugs } from './bugs.ts';

export interface Again {
  readonly laws: readonly string[];
}

async function again(name: string, file: string): Promise<Again> {
  const bug = plantedBugs.find((other) => other.name === name);
  if (bug === undefined) throw new Error(`There is no planted bug named ${name}.`);
  const check = plant(bug);
  const { readRecording } = await import('../scenario/recording.ts');
  const { runSchedule } = await import('../schedule.ts');
  check();
  const { violations } = await runSchedule(readRecording(file).scenario);
  return { laws: violations.map(({ law }) => law) };
}

const given: unknown = workerData;
if (parentPort !== null && typeof given === 'object' && given !== null && 'name' in given && 'file' in given) {
  parentPort.postMessage(await again(String(given.name), String(given.file)));
}
