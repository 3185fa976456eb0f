import { type RunFilter, runStates, type RunSummary } from '../../journal/store.ts';
import { durationText } from '../../trace/duration-text.ts';
import { columnsOf, cutToColumns, oneLine, padToColumns } from '../../trace/safe-text.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { waitText } from '../report-result.ts';
import { type DriverState, withClientStore } from '../store-place.ts';

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
  const { runs, driver } = await withClientStore(place, async (store, found) => ({
    runs: await store.runs(filter),
    driver: found,
  }));
  if (terminal.isJson) {
    terminal.json(runs);
    return 'ok';
  }
  if (runs.length === 0) terminal.say('No run fits.');
  const nowMs = Date.now();
  const rows = runs.map((run) => cellsOf(run, nowMs, driver));
  const widths = columns.map((place) => Math.min(maxColumn, Math.max(...rows.map((row) => columnsOf(row[place])))));
  for (const row of rows) {
    const line = lineOf(row, widths);
    terminal.say(terminal.width === undefined ? line : cutToColumns(line, Math.max(60, terminal.width)));
  }
  return 'ok';
}

function filterOf(invocation: Invocation): RunFilter {
  const state = invocation.text('state');
  const known = runStates.find((each) => each === state);
  if (state !== undefined && known === undefined) {
    throw invocation.usage(`--state is ${runStates.join(', ')}, and not ${state}.`);
  }
  const asked = invocation.text('limit');
  const limit = Number(asked ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) {
    throw invocation.usage(`--limit is a whole number from 1 to 1000, and not ${asked}.`);
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

/** Run, state, subject, age, steps and what it waits for. */
type Cells = readonly [string, string, string, string, string, string];

/** All but the last, which nothing follows. */
const columns = [0, 1, 2, 3, 4] as const;
const age = 3;
/** A longer name only pushes its own line. */
const maxColumn = 40;

function lineOf(row: Cells, widths: readonly number[]): string {
  const cells = columns.map((place) => {
    const width = widths[place] ?? 0;
    return place === age ? row[place].padStart(width) : padToColumns(row[place], width);
  });
  return [...cells, row[5]].join('  ').trimEnd();
}

function cellsOf(run: RunSummary, nowMs: number, driver: DriverState): Cells {
  const { status } = run;
  // A copy of a run that had not ended stands as ended, without an ending.
  const state = status.ending ?? (status.state === 'ended' ? 'copy' : status.state);
  const waits = status.state === 'ended' ? [] : status.waitingOn.map((reason) => waitText(reason, nowMs));
  const isLeft = status.state === 'active' && driver.kind === 'none';
  const steps = run.kind === 'agent' ? `${status.steps} ${status.steps === 1 ? 'step' : 'steps'}` : run.kind;
  return [
    oneLine(run.runId),
    state,
    oneLine(run.subject),
    `${durationText(Math.max(0, nowMs - run.createdAtMs))} ago`,
    steps,
    isLeft ? 'nobody drives it' : waits.join('; '),
  ];
}
