/** Bugs of forks and replays, planted as those of the simulation are. */
import { bug, type PlantedBug } from '../../simulation/planted/planted-bug.ts';

const pipeline = 'src/run/pipeline.ts';
const evolve = 'src/run/evolve.ts';
const fork = 'src/replay/fork-run.ts';

export const plantedBugs: readonly PlantedBug[] = [
  bug(
    'a recorded write is performed again',
    pipeline,
    'if (state.fork === undefined || call === undefined',
    "if (call?.terms.effect === 'write' || state.fork === undefined || call === undefined",
  ),
  bug(
    'a recorded idempotent call is performed again',
    pipeline,
    'if (recorded !== undefined) {',
    "if (recorded !== undefined && call.terms.effect !== 'write') return judged;\n  if (recorded !== undefined) {",
  ),
  bug(
    'a side effect without a recorded result is performed',
    pipeline,
    'state.fork.live.includes(call.tool)',
    'state.fork.live.length >= 0',
  ),
  bug('a recorded result answers every call', evolve, 'recorded.filter(({ callId }) => callId !== from)', 'recorded'),
  bug('results of the shared steps are recorded too', fork, 'if (before !== undefined) calls.take', 'calls.take'),
  bug('later results are not recorded', fork, 'if (before !== undefined) calls.take(open, state);', ''),
  bug('a fork begins one step late', fork, 'entry.step === step', 'entry.step === step + 1'),
  bug('a refusal is forgotten', evolve, 'fork: { of, live, recorded }, denied,', 'fork: { of, live, recorded },'),
  bug('the values of the context are forgotten', fork, '...defined({ context: contextOf(before, results) }),', ''),
];
