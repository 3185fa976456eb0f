/** A thread that plants a bug and says what forks do then. */
import { parentPort, workerData } from 'node:worker_threads';
import { plant } from '../../simulation/planted/apply.ts';
import type * as bar from './bar.ts';
import { plantedBugs } from './bugs.ts';

async function problemsWith(name: string): Promise<readonly string[]> {
  const bug = plantedBugs.find((other) => other.name === name) ?? { name, patches: [] };
  const planted = plant(bug);
  const { forkProblems } = (await planted.load('test/replay/planted/bar.ts')) as typeof bar;
  planted.check();
  return forkProblems().catch((error: unknown) => [`threw: ${String(error)}`]);
}

const given: unknown = workerData;
if (parentPort !== null && typeof given === 'object' && given !== null && 'bugs' in given) {
  for (const name of given.bugs as readonly string[]) {
    parentPort.postMessage({ name, problems: await problemsWith(name) });
  }
}
