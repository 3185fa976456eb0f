/**
 * Recorded runs of a real model at the desk of an airline: the run is the recorded one, undisturbed and after a process has died in the middle of it.
 * Nothing is done twice, and the records are changed as they were then. `test/cases/README.md` says how.
 */
import { runKilled, runUnkilled } from '../../airline/in-process.ts';
import { toRecording } from '../../airline/recording.ts';
import type { Format } from '../format.ts';
import { right, type Verdict, wrong } from '../verdict.ts';

export const airlineTrajectories: Format = {
  name: 'tau_airline_trajectories',
  measure: async (record) => {
    const recording = toRecording(record);
    const undisturbed = await runUnkilled(recording);
    if (undisturbed.problems.length > 0) return verdictOn(undisturbed, 'undisturbed');
    const at = Math.ceil(undisturbed.appends / 2);
    for (const side of ['before', 'after'] as const) {
      const killed = await runKilled(recording, { at, side });
      if (killed.problems.length > 0) return verdictOn(killed, `killed ${side} append ${at}`);
    }
    return right;
  },
};

function verdictOn(
  { problems, duplicates }: { readonly problems: readonly string[]; readonly duplicates: number },
  how: string,
): Verdict {
  return wrong(`${how}: ${problems.join('; ')}`, duplicates > 0 ? { unsafe: true } : {});
}
