/** Starts a run for a command, and says so when the request key had its run before. */
import type { RunHandle } from '../facade/run-handle.ts';
import type { Invocation } from './command.ts';
import type { WatchOptions } from './follow-run.ts';

export interface BegunRun {
  readonly run: RunHandle;
  readonly options: WatchOptions;
}

export async function begin(
  { terminal, has }: Invocation,
  start: () => Promise<RunHandle>,
  options: WatchOptions = {},
): Promise<BegunRun> {
  const startedAtMs = Date.now();
  const run = await start();
  if (!has('key')) return { run, options };
  const summary = await run.summary();
  if (summary.createdAtMs >= startedAtMs) return { run, options };
  terminal.note(
    `This key has its run: ${run.id}, accepted at ${new Date(summary.createdAtMs).toISOString()}. Nothing is done a second time.`,
  );
  return { run, options: { ...options, after: summary } };
}
