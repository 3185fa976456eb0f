/**
 * Opens Axle with the configuration, drives and watches runs, and lets go of it again.
 *
 * V1 A run that is watched is driven as long as anybody can: when the process that drives the store ends, this one takes over.
 */
import type { Axle } from '../facade/axle.ts';
import type { RunHandle } from '../facade/run-handle.ts';
import type { RunResult } from '../facade/run-result.ts';
import { isAxleError } from '../error/axle-error.ts';
import type { Log } from '../run/engine.ts';
import { oneLine } from '../trace/safe-text.ts';
import type { Invocation } from './command.ts';
import type { ExitName } from './exit-code.ts';
import { RunWatch, type WatchOptions } from './follow-run.ts';
import { reportResult } from './report-result.ts';
import { openPlace, whenUndriven } from './store-place.ts';

/** Opens Axle for as long as `use` needs it: as the driver, unless another process is. */
export async function withAxle<T>(
  invocation: Invocation,
  use: (axle: Axle) => Promise<T>,
  role: 'auto' | 'client' = 'auto',
): Promise<T> {
  const axle = await openAxle(invocation, role);
  try {
    return await use(axle);
  } finally {
    await axle.close();
  }
}

/** Drives the run that `begin` gives until it rests, says how, and gives the exit code; an interruption leaves it resumable. */
export async function driveRun(
  invocation: Invocation,
  begin: (axle: Axle) => Promise<{ readonly run: RunHandle; readonly options?: WatchOptions }>,
): Promise<ExitName> {
  const { terminal } = invocation;
  let axle = await openAxle(invocation, 'auto');
  try {
    const { run, options = {} } = await begin(axle);
    const watch = new RunWatch(invocation, options);
    if (!axle.isDriver) terminal.note('Another process drives this store; it does the work.');
    for (;;) {
      const result = await watchOnce(invocation, { axle, runId: run.id, watch });
      if (result === 'interrupted') return interrupted(invocation, run.id);
      if (result !== 'undriven') {
        const report = await reportResult(result, axle.store, invocation);
        if (terminal.isJson) terminal.json(report.json);
        return report.exit;
      }
      await axle.close();
      axle = await openAxle(invocation, 'auto');
      terminal.note(
        axle.isDriver
          ? 'The process that drove this store has ended; this one goes on with the work.'
          : 'The process that drove this store has ended; another one has taken over.',
      );
    }
  } finally {
    await axle.close();
  }
}

/** Follows a run until it rests, or until nobody drives it any more. */
async function watchOnce(
  { interruption, place }: Invocation,
  { axle, runId, watch }: { readonly axle: Axle; readonly runId: string; readonly watch: RunWatch },
): Promise<RunResult | 'undriven' | 'interrupted'> {
  const undriven = new AbortController();
  const stop = axle.isDriver ? () => {} : await whenUndriven(place, () => undriven.abort());
  try {
    const signal = AbortSignal.any([interruption.signal, undriven.signal]);
    return await watch.follow(axle.run(runId), axle.store, signal);
  } catch (error) {
    if (!isAxleError(error, 'aborted')) throw error;
    return interruption.signal.aborted ? 'interrupted' : 'undriven';
  } finally {
    stop();
  }
}

function interrupted({ terminal, interruption, commandText }: Invocation, runId: string): ExitName {
  const next = commandText('resume', runId);
  terminal.note(`Interrupted. The run goes on with: ${next}`);
  if (terminal.isJson) terminal.json({ status: 'interrupted', runId, next: [next] });
  return interruption.exit();
}

async function openAxle(invocation: Invocation, role: 'auto' | 'client'): Promise<Axle> {
  const { place, work, suddenEnd } = invocation;
  const { createAxle } = await import('../facade/create-axle.ts');
  const config = await place.config();
  const store = await openPlace(place, { role, onFatal: suddenEnd.end });
  try {
    return await createAxle({ log: notesOf(invocation), ...config, store: work.watch(store) });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Warnings and errors of the log as lines about the progress. */
export function notesOf({ terminal }: Pick<Invocation, 'terminal'>): Log {
  return (level, message, fields) => {
    if (level !== 'warn' && level !== 'error') return;
    terminal.note(`${level}: ${oneLine(message)} ${oneLine(JSON.stringify(fields))}`);
  };
}
