/** Opens Axle with the configuration, drives and watches runs, and lets go of it again. */
import { type Axle, createAxle } from '../facade/create-axle.ts';
import type { RunHandle } from '../facade/run-handle.ts';
import { isAxleError } from '../error/axle-error.ts';
import type { RunSummary } from '../journal/store.ts';
import { oneLine } from '../trace/safe-text.ts';
import type { Invocation } from './command.ts';
import type { ExitName } from './exit-code.ts';
import { followRun } from './follow-run.ts';
import { reportResult } from './report-result.ts';

/** Opens Axle for as long as `use` needs it: as the driver, unless another process is. */
export async function withAxle<T>(
  invocation: Invocation,
  use: (axle: Axle) => Promise<T>,
  role: 'auto' | 'client' = 'auto',
): Promise<T> {
  const { place, terminal } = invocation;
  const config = await place.config();
  const axle = await createAxle({
    log: (level, message, fields) => {
      if (level === 'warn' || level === 'error') {
        terminal.note(`${level}: ${oneLine(message)} ${oneLine(JSON.stringify(fields))}`);
      }
    },
    ...config,
    store: await place.store(),
    role,
  });
  try {
    return await use(axle);
  } finally {
    await axle.close();
  }
}

export interface WatchOptions {
  readonly until?: 'rest' | 'ended';
  /** Only what comes after this state of the run is shown. */
  readonly after?: RunSummary;
  /** Something was posted after that state, so only a rest that is newer counts. */
  readonly isPosted?: boolean;
}

/** Watches a run until it rests, says how, and gives the exit code; an interruption leaves it resumable. */
export async function watchRun(
  invocation: Invocation,
  open: { readonly axle: Axle; readonly run: RunHandle },
  options: WatchOptions = {},
): Promise<ExitName> {
  const { terminal, interruption } = invocation;
  const { axle, run } = open;
  if (!axle.isDriver) terminal.note('Another process drives this store; it does the work.');
  try {
    const result = await followRun(run, { terminal, interruption, until: 'rest', ...options });
    const report = await reportResult(result, axle.store, terminal);
    if (terminal.isJson) terminal.json(report.json);
    return report.exit;
  } catch (error) {
    if (!isAxleError(error, 'aborted')) throw error;
    terminal.note(`Interrupted. The run goes on with: axle resume ${run.id}`);
    if (terminal.isJson) terminal.json({ status: 'interrupted', runId: run.id, next: [`axle resume ${run.id}`] });
    return 'interrupted';
  }
}
