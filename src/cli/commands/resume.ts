import type { Axle } from '../../facade/axle.ts';
import { isAxleError } from '../../error/axle-error.ts';
import type { RunSummary, Store } from '../../journal/store.ts';
import type { Command, Invocation } from '../command.ts';
import { driveRun, withAxle } from '../drive.ts';
import { type ExitName, mostUrgent } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { RunWatch } from '../follow-run.ts';
import { type Report, reportResult } from '../report-result.ts';
import { withClientStore } from '../store-place.ts';

export const resumeCommand: Command = {
  name: 'resume',
  about: 'drive what is due, or one run, until it rests',
  positionals: [{ name: 'RUN', isOptional: true }],
  options: {},
  details:
    'Due are runs that a process left behind, runs that somebody answered, runs whose time has come, and held runs whose code may be back.',
  examples: ['axle resume', 'axle resume last', 'axle resume --json'],
  run: resumeRuns,
};

/** Runs taken up by one command; the next one goes on. */
const maxRuns = 1_000;
/** Runs watched at a time. */
const watchedAtOnce = 50;

async function resumeRuns(invocation: Invocation): Promise<ExitName> {
  const name = invocation.optionalArgument(0);
  if (name === undefined) {
    const due = await withClientStore(invocation.place, dueRuns);
    return withAxle(invocation, (axle) => resumeAll(invocation, axle, due));
  }
  const { after, isPosted } = await withClientStore(invocation.place, async (store) => {
    const summary = await findRun(store, name);
    // Where another process drives, an answer that it has not taken in yet makes the run due: its rest of before does not count.
    const due = await store.due(Date.now(), maxRuns);
    return { after: summary, isPosted: summary.status.state !== 'ended' && due.includes(summary.runId) };
  });
  return driveRun(invocation, async (axle) => ({ run: axle.run(after.runId), options: { after, isPosted } }));
}

/** Read before this process drives: what is due then is taken as soon as it does. */
async function dueRuns(store: Store): Promise<readonly RunSummary[]> {
  const held = await store.runs({ states: ['held'], limit: maxRuns });
  const due = await store.due(Date.now(), maxRuns);
  const runIds = new Set([...due, ...held.map((run) => run.runId)]);
  const summaries = await Promise.all([...runIds].map((runId) => store.run(runId)));
  return summaries.filter((summary) => summary !== undefined);
}

async function resumeAll(invocation: Invocation, axle: Axle, due: readonly RunSummary[]): Promise<ExitName> {
  const { terminal, interruption, commandText } = invocation;
  if (!axle.isDriver) {
    terminal.note('Another process drives this store; it does the work.');
    if (terminal.isJson) terminal.json([]);
    return 'ok';
  }
  if (due.length === 0) terminal.note('Nothing is due.');
  const reports: Report[] = [];
  let isInterrupted = false;
  try {
    for (let start = 0; start < due.length; start += watchedAtOnce) {
      reports.push(
        ...(await Promise.all(due.slice(start, start + watchedAtOnce).map((run) => watchOne(invocation, axle, run)))),
      );
    }
  } catch (error) {
    if (!isAxleError(error, 'aborted')) throw error;
    isInterrupted = true;
    terminal.note(`Interrupted. The runs go on with: ${commandText('resume')}`);
  }
  if (terminal.isJson) terminal.json(reports.map((report) => report.json));
  return isInterrupted ? interruption.exit() : mostUrgent(reports.map((report) => report.exit));
}

async function watchOne(invocation: Invocation, axle: Axle, after: RunSummary): Promise<Report> {
  const { runId, subject } = after;
  const watch = new RunWatch(invocation, { after, label: `${subject} ${runId}` });
  const result = await watch.follow(axle.run(runId), axle.store, invocation.interruption.signal);
  return reportResult(result, axle.store, invocation);
}
