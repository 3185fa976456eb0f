import type { UndoOptions } from '../../facade/undo-run.ts';
import { begin } from '../begin-run.ts';
import type { Command, Invocation } from '../command.ts';
import { driveRun } from '../drive.ts';
import type { ExitName } from '../exit-code.ts';
import { findRun } from '../find-run.ts';

export const undoCommand: Command = {
  name: 'undo',
  about: 'take back what a run did, its last effect first',
  positionals: [{ name: 'RUN' }],
  options: {
    calls: {
      value: 'IDS',
      about: 'only these calls of the run, separated by commas (default: all that had an effect)',
    },
    skip: { about: 'pass over what cannot be taken back, or fails, instead of stopping there' },
    cancel: { about: 'cancel the run first when it has not ended' },
    again: { about: 'go on with what an earlier undo, which has ended, did not take back' },
  },
  details:
    'Each effect is taken back by a call of its own, which policy decides about. Asked twice, it is the same undo: --again goes on where it stopped, --skip passes over what stopped it. The undo is a run too, which last then means: name RUN by its id. The result names what was undone, failed, cannot be taken back, and is left.',
  examples: ['axle undo last', 'axle undo run_0fj3k --calls 3.0,2.0', 'axle undo run_0fj3k --again --skip --json'],
  run: undo,
};

async function undo(invocation: Invocation): Promise<ExitName> {
  const calls = invocation.list('calls');
  const options: UndoOptions = {
    ...(calls === undefined ? {} : { calls }),
    onProblem: invocation.has('skip') ? 'skip' : 'stop',
    cancel: invocation.has('cancel'),
    again: invocation.has('again'),
  };
  return driveRun(invocation, async (axle) => {
    const { runId } = await findRun(axle.store, invocation.argument(0));
    return begin(invocation, () => axle.undo(runId, options));
  });
}
