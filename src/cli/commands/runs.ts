import { AxleError } from '../../error/axle-error.ts';
import type { RunFilter, RunStatus, RunSummary } from '../../journal/store.ts';
import { durationText } from '../../trace/duration-text.ts';
import { cutToColumns, oneLine, padToColumns } from '../../trace/safe-text.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { waitText } from '../report-result.ts';
import { withClientStore } from '../store-place.ts';

const states: readonly RunStatus['state'][] = ['active', 'waiting', 'held', 'ended'];

export const runsCommand: Command = {
  name: 'runs',
  about: 'list runs, newest first',
  positionals: [],
  options: {
    state: { value: 'STATE', about: 'only runs that are active, waiting, held or ended' },
    agent: { value: 'NAME', about: 'only runs of this agent, or single calls of this tool' },
    session: { value: 'NAME', about: 'only runs of this conversation' },
    limit: { value: 'COUNT', about: 'at most this many, 1 to 1000 (default 20)' },
  },
  examples: ['axle runs', 'axle runs --state waiting', 'axle runs --agent support --limit 100 --json'],
  run: listRuns,
};

async function listRuns(invocation: Invocation): Promise<ExitName> {
  const { terminal, place } = invocation;
  const filter = filterOf(invocation);
  const runs = await withClientStore(place, (store) => store.runs(filter));
  if (terminal.isJson) {
    terminal.json(runs);
    return 'ok';
  }
  if (runs.length === 0) terminal.say('No run fits.');
  const nowMs = Date.now();
  for (const run of runs) {
    terminal.say(
      terminal.width === undefined
        ? runLine(run, nowMs)
        : cutToColumns(runLine(run, nowMs), Math.max(60, terminal.width)),
    );
  }
  return 'ok';
}

function filterOf(invocation: Invocation): RunFilter {
  const state = invocation.text('state');
  const known = states.find((each) => each === state);
  if (state !== undefined && known === undefined) {
    throw new AxleError('usage-invalid', `--state is ${states.join(', ')}, and not ${state}.`, {
      remedy: 'See axle runs --help.',
    });
  }
  const limit = Number(invocation.text('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) {
    throw new AxleError('usage-invalid', '--limit is a whole number from 1 to 1000.', {
      remedy: 'See axle runs --help.',
    });
  }
  const subject = invocation.text('agent');
  const session = invocation.text('session');
  return {
    limit,
    ...(known === undefined ? {} : { states: [known] }),
    ...(subject === undefined ? {} : { subject }),
    ...(session === undefined ? {} : { session }),
  };
}

function runLine(run: RunSummary, nowMs: number): string {
  const { status } = run;
  const state = status.ending ?? status.state;
  const age = `${durationText(Math.max(0, nowMs - run.createdAtMs))} ago`;
  const waits = status.state === 'ended' ? '' : status.waitingOn.map(waitText).join('; ');
  const steps = run.kind === 'agent' ? `${status.steps} ${status.steps === 1 ? 'step' : 'steps'}` : 'call';
  return [
    run.runId,
    padToColumns(state, 9),
    padToColumns(oneLine(run.subject), 16),
    age.padStart(12),
    padToColumns(steps, 8),
    waits,
  ]
    .join('  ')
    .trimEnd();
}
