import type { ForkOptions } from '../../facade/fork-options.ts';
import { isJsonObject } from '../../util/json.ts';
import { defined } from '../../util/defined.ts';
import { begin } from '../begin-run.ts';
import type { Command, Invocation } from '../command.ts';
import { driveRun } from '../drive.ts';
import type { ExitName } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { parseJsonOption } from '../input-text.ts';

export const forkCommand: Command = {
  name: 'fork',
  about: 'go on from a step of a run, in another run, with something changed',
  positionals: [{ name: 'RUN' }],
  options: {
    at: { value: 'STEP', about: 'the step that is made anew, with everything after it' },
    model: { value: 'NAME', about: 'the model that answers, by its name in the models of the configuration' },
    instructions: { value: 'TEXT', about: 'what the model is told before everything else' },
    input: { value: 'TEXT', about: 'in the place of what the run was asked' },
    results: { value: 'JSON', about: 'other outputs of calls, by their ids: {"3.0": ...}' },
    live: { value: 'TOOLS', about: 'tools whose side effects may be performed where no result is recorded' },
    key: { value: 'KEY', about: 'your own name for the request: the same key gives the same fork' },
  },
  details:
    'The steps before STEP are the history of the fork. Side effects of RUN are not performed again: the same call is answered by what became of it, and any other is denied unless its tool is live. Reads are performed.',
  examples: [
    'axle fork last --at 3',
    'axle fork run_0fj3k --at 2 --model careful --instructions "Ask before you pay."',
    'axle fork last --at 4 --results \'{"3.0": {"stock": 0}}\' --live mail',
  ],
  run: fork,
};

async function fork(invocation: Invocation): Promise<ExitName> {
  const options = optionsOf(invocation);
  return driveRun(invocation, async (axle) => {
    const { runId } = await findRun(axle.store, invocation.argument(0));
    return begin(invocation, () => axle.fork(runId, options));
  });
}

function optionsOf(invocation: Invocation): ForkOptions {
  const { text, list, usage } = invocation;
  const at = Number(text('at'));
  if (!Number.isInteger(at) || at < 1) {
    throw usage(`--at is the number of a step, and not ${text('at') ?? 'left out'}.`);
  }
  const said = text('results');
  const results = said === undefined ? undefined : parseJsonOption(invocation, '--results', said);
  if (results !== undefined && !isJsonObject(results)) {
    throw usage('--results takes a JSON object from ids of calls to outputs.');
  }
  return {
    at,
    ...defined({
      model: text('model'),
      instructions: text('instructions'),
      input: text('input'),
      key: text('key'),
      live: list('live'),
      results,
    }),
  };
}
