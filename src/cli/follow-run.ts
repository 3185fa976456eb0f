/** Watches a run until it rests, its progress on standard error. Who drives the run may change meanwhile. */
import type { RunHandle } from '../facade/run-handle.ts';
import type { RunResult } from '../facade/run-result.ts';
import type { RunSummary, Store } from '../journal/store.ts';
import { loadRun } from '../run/load-run.ts';
import type { CommandText } from './command-text.ts';
import { ProgressText } from './progress-text.ts';
import type { Terminal } from './terminal.ts';

export interface WatchOptions {
  /** @defaultValue 'rest' */
  readonly until?: 'rest' | 'ended';
  /** Only what comes after this state of the run is shown. */
  readonly after?: RunSummary;
  /** Something was posted after that state, so only a rest that is newer counts. */
  readonly isPosted?: boolean;
  /** Stands before every line, where several runs are watched. */
  readonly label?: string;
}

/** One run under the eyes of a command. It remembers what it has shown. */
export class RunWatch {
  readonly #terminal: Terminal;
  readonly #options: WatchOptions;
  readonly #progress: ProgressText;
  /** The id of the last event that was shown. */
  #shown: string | undefined;

  constructor(surroundings: { readonly terminal: Terminal; readonly commandText: CommandText }, options: WatchOptions) {
    const { after, until, label } = options;
    this.#terminal = surroundings.terminal;
    this.#options = options;
    this.#shown = after === undefined ? undefined : eventIdOf(after);
    this.#progress = new ProgressText(Date.now, {
      label: label ?? '',
      // Only for a watcher who stays: at a rest, the commands that answer are printed anyway.
      ...(until === 'ended' ? { commandText: surroundings.commandText } : {}),
    });
  }

  /** True when the failure was shown in full, so that it need not be again. */
  hasTold(message: string): boolean {
    return this.#progress.hasTold(message);
  }

  /** @throws AxleError `aborted` when the signal ends the wait: another call goes on from there. */
  async follow(run: RunHandle, store: Store, signal: AbortSignal): Promise<RunResult> {
    const { after, isPosted, until } = this.#options;
    if (after !== undefined) await this.#recallTools(run.id, store);
    const stop = new AbortController();
    const printing = this.#print(run, stop.signal);
    try {
      if (after !== undefined && isPosted === true) await movedOn(run, after, signal);
      return await run.result({ until: until ?? 'rest', signal });
    } finally {
      stop.abort();
      await printing;
    }
  }

  /** Calls that were bound before what is shown have their names in the state of the run. */
  async #recallTools(runId: string, store: Store): Promise<void> {
    const loaded = await loadRun(store, runId);
    for (const { callId, toolName } of loaded?.state.turn?.calls ?? []) this.#progress.knowTool(callId, toolName);
  }

  async #print(run: RunHandle, signal: AbortSignal): Promise<void> {
    const from = this.#shown === undefined ? {} : { after: this.#shown };
    for await (const event of run.events({ ...from, signal })) {
      this.#shown = event.id;
      const line = this.#progress.line(event.entry);
      if (line !== undefined) this.#terminal.note(`  ${line}`);
    }
  }
}

function eventIdOf({ epoch, seq }: RunSummary): string {
  return `${epoch}.${seq}`;
}

/** Resolves when a driver has written something after a state of the run. The signal ends the wait. */
async function movedOn(run: RunHandle, before: RunSummary, signal: AbortSignal): Promise<void> {
  const { status } = await run.summary();
  if (status.state === 'ended') return;
  // The first event after what was known is all that is waited for.
  await run.events({ after: eventIdOf(before), signal }).next();
}
