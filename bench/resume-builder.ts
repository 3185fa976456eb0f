/**
 * Leaves a run behind as a killed process leaves it: drives it for that many turns, and is killed while the model is asked for the next one.
 * Started by `resume-sample.ts` with the path of the store and the number of turns.
 */
import process from 'node:process';
import { openReader } from './resumed-run.ts';

const [path = '', turns = ''] = process.argv.slice(2);
const axle = await openReader(path, { turns: Number(turns), onExtraTurn: () => process.kill(process.pid, 'SIGKILL') });
const run = await axle.start();
// Never reached by a run that is killed in time.
await run.result();
process.exitCode = 1;
