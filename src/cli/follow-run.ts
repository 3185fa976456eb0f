/** Watches a run until it rests: its progress on standard error, its result at the end. */
import type { RunHandle } from '../facade/run-handle.ts';
import type { RunResult } from '../facade/run-result.ts';
import type { RunSummary } from '../journal/store.ts';
import type { Interruption } from './interruption.ts';
import { ProgressText } from './progress-text.ts';
import type { Terminal } from './terminal.ts';

export interface FollowOptions {
  readonly terminal: Terminal;
  readonly interruption: Interruption;
  readonly until: 'rest' | 'ended';
  /** Only what comes after this state of the run is shown. */
  readonly after?: RunSummary;
  /** Something was posted after that state, so only a rest that is newer counts. */
  readonly isPosted?: boolean;
}

/** @throws AxleError `aborted` after an interruption. */
export async function followRun(run: RunHandle, options: FollowOptions): Promise<RunResult> {
  const stop = new AbortController();
  const { after, interruption, until } = options;
  const printing = printProgress(run, stop.signal, options);
  try {
    if (after !== undefined && options.isPosted === true) await movedOn(run, after, interruption.signal);
    return await run.result({ until, signal: interruption.signal });
  } finally {
    stop.abort();
    await printing;
  }
}

async function printProgress(
  run: RunHandle,
  signal: AbortSignal,
  { after, terminal, until }: FollowOptions,
): Promise<void> {
  const progress = new ProgressText(Date.now, { namesCommands: until === 'ended' });
  const position = after === undefined ? {} : { after: `${after.epoch}.${after.seq}` };
  for await (const event of run.events({ ...position, signal })) {
    const line = progress.line(event.entry);
    if (line !== undefined) terminal.note(`  ${line}`);
  }
}

/** Resolves when a driver has written something after a state of the run. An interruption ends the wait. */
async function movedOn(run: RunHandle, before: RunSummary, signal: AbortSignal): Promise<void> {
  const { status } = await run.summary();
  if (status.state === 'ended') return;
  // The first event after what was known is all that is waited for.
  await run.events({ after: `${before.epoch}.${before.seq}`, signal }).next();
}
