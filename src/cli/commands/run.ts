import type { Axle } from '../../facade/axle.ts';
import type { RunHandle } from '../../facade/run-handle.ts';
import { begin } from '../begin-run.ts';
import type { Command, Invocation } from '../command.ts';
import { driveRun, withAxle } from '../drive.ts';
import type { ExitName } from '../exit-code.ts';
import { inputText } from '../input-text.ts';
import { makeStore } from '../store-place.ts';

export const runCommand: Command = {
  name: 'run',
  about: 'start a run of an agent and drive it until it ends or waits for a person',
  positionals: [{ name: 'AGENT' }],
  options: {
    input: { value: 'TEXT', about: 'what the agent is asked' },
    'input-file': { value: 'FILE', about: 'the same from a file; - reads standard input' },
    key: { value: 'KEY', about: 'your own name for the request: the same key gives the same run' },
    session: { value: 'NAME', about: 'the conversation that the run belongs to' },
    follow: { about: 'stay until the run has ended, also while it waits for a person' },
    stream: { about: 'show what is being written while it is; with --json one event a line, and the result last' },
    detach: { about: 'only record the run: it is driven by the running driver, or by axle resume' },
  },
  details:
    'The answer goes to standard output, the progress to standard error. When another process drives the store, that process does the work.',
  examples: [
    'axle run support --input "Where is order 17?"',
    'axle run report --input-file brief.txt --key 2026-11-29',
    'axle run support --input "Refund charge 5" --follow',
    'axle run support --input "Where is order 17?" --stream',
  ],
  run: startRun,
};

async function startRun(invocation: Invocation): Promise<ExitName> {
  const input = await inputText(invocation, 'input');
  if (input === undefined) {
    throw invocation.usage('axle run needs --input TEXT or --input-file FILE.');
  }
  for (const other of ['follow', 'stream']) {
    if (invocation.has(other) && invocation.has('detach')) {
      throw invocation.usage(`--${other} and --detach exclude each other.`);
    }
  }
  const key = invocation.text('key');
  const session = invocation.text('session');
  const options = { input, ...(key === undefined ? {} : { key }), ...(session === undefined ? {} : { session }) };
  const agentName = invocation.argument(0);
  if (invocation.has('detach')) return record(invocation, (axle) => axle.start(agentName, options));
  const watch = { until: invocation.has('follow') ? 'ended' : 'rest', streams: invocation.has('stream') } as const;
  return driveRun(invocation, (axle) => begin(invocation, () => axle.start(agentName, options), watch));
}

/** Accepts a run without driving it. */
async function record(invocation: Invocation, start: (axle: Axle) => Promise<RunHandle>): Promise<ExitName> {
  const { terminal, place } = invocation;
  await makeStore(place);
  return withAxle<ExitName>(
    invocation,
    async (axle) => {
      const run = await start(axle);
      if (terminal.isJson) terminal.json({ runId: run.id, recorded: true });
      else terminal.say(run.id);
      terminal.note('Recorded; it runs when a driver starts, or at once where one runs.');
      return 'ok';
    },
    'client',
  );
}
