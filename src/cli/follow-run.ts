/** Watches a run until it rests, its progress on standard error. Who drives the run may change meanwhile. */
import { entryId } from '../journal/placed-entries.ts';
import type { RunEvent, RunHandle } from '../facade/run-handle.ts';
import type { RunResult } from '../facade/run-result.ts';
import type { RunSummary, Store } from '../journal/store.ts';
import type { StreamEvent } from '../live/stream-event.ts';
import { manyLines, oneLine } from '../trace/safe-text.ts';
import { valueText } from '../trace/span-words.ts';
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
  /** What is being written is shown while it is; with `--json` every event is a line. @defaultValue false */
  readonly streams?: boolean;
  /** Stands before every line, where several runs are watched. */
  readonly label?: string;
}

/** One run under the eyes of a command. It remembers what it has shown. */
export class RunWatch {
  readonly #terminal: Terminal;
  readonly #options: WatchOptions;
  readonly #progress: ProgressText;
  #seq = 0;
  #onEntry: (() => void) | undefined;
  /** What the line that is not ended holds. */
  #writing: 'text-delta' | 'reasoning-delta' | undefined;
  /** The id of the last event that was shown. */
  #shown: string | undefined;

  constructor(surroundings: { readonly terminal: Terminal; readonly commandText: CommandText }, options: WatchOptions) {
    const { after, until, label } = options;
    this.#terminal = surroundings.terminal;
    this.#options = options;
    this.#shown = after === undefined ? undefined : entryId(after);
    this.#seq = after?.seq ?? 0;
    this.#progress = new ProgressText(Date.now, {
      label: label ?? '',
      // Only for a watcher who stays: at a rest, the commands that answer are printed anyway.
      ...(until === 'ended' ? { commandText: surroundings.commandText } : {}),
    });
  }

  /** @throws AxleError `aborted` when the signal ends the wait: another call goes on from there. */
  async follow(run: RunHandle, store: Store, signal: AbortSignal): Promise<RunResult> {
    const { after, isPosted, until } = this.#options;
    if (after !== undefined) await this.#recallTools(run.id, store);
    const stop = new AbortController();
    const printing = this.#print(run, stop.signal);
    try {
      if (after !== undefined && isPosted === true) await movedOn(run, after, signal);
      const result = await run.result({ until: until ?? 'rest', signal });
      // A stream that fails has nothing more to show; that is told below.
      if (this.#options.streams === true) await Promise.race([this.#shownAll(run), printing]);
      return result;
    } finally {
      stop.abort();
      await printing;
    }
  }

  /** Calls that were bound before what is shown have their names in the state of the run. */
  async #recallTools(runId: string, store: Store): Promise<void> {
    const { loadRun } = await import('../run/load-run.ts');
    const loaded = await loadRun(store, runId);
    for (const { callId, toolName } of loaded?.state.turn?.calls ?? []) this.#progress.knowTool(callId, toolName);
  }

  async #print(run: RunHandle, signal: AbortSignal): Promise<void> {
    const from = this.#shown === undefined ? {} : { after: this.#shown };
    if (this.#options.streams !== true) {
      for await (const event of run.events({ ...from, signal })) this.#entry(event);
      return;
    }
    for await (const event of run.stream({ ...from, signal })) {
      if (this.#terminal.isJson) this.#terminal.json(event);
      if (event.kind === 'entry') this.#entry(event);
      else this.#provisional(event);
      this.#shown = event.id;
    }
  }

  #entry({ id, seq, entry }: RunEvent): void {
    this.#shown = id;
    this.#endWriting();
    const line = this.#progress.line(entry);
    if (line !== undefined) this.#terminal.note(`  ${line}`);
    this.#seq = seq;
    this.#onEntry?.();
  }

  /** What is being written stands on lines of its own, which nothing else is put into. */
  #provisional(event: Exclude<StreamEvent, { kind: 'entry' }>): void {
    if (event.kind === 'text-delta' || event.kind === 'reasoning-delta') {
      const isSame = this.#writing === event.kind;
      if (!isSame) this.#endWriting();
      const begins = isSame ? '' : `  ${event.kind === 'text-delta' ? 'says' : 'thinks'}: `;
      this.#writing = event.kind;
      this.#terminal.piece(`${begins}${manyLines(event.text).join('\n    ')}`);
      return;
    }
    this.#endWriting();
    if (event.kind === 'tool-progress' || event.kind === 'tool-log') {
      this.#terminal.note(`  ${event.callId}: ${oneLine(valueText(event.data))}`);
    }
    if (event.kind === 'reset' && event.reason !== 'driver-changed') {
      this.#terminal.note(`  what was shown does not count (${event.reason})`);
    }
  }

  #endWriting(): void {
    if (this.#writing !== undefined) this.#terminal.piece('\n');
    this.#writing = undefined;
  }

  /** Resolves when every entry has been shown that is there now. */
  async #shownAll(run: RunHandle): Promise<void> {
    const { seq } = await run.summary();
    while (this.#seq < seq) {
      await new Promise<void>((resolve) => {
        this.#onEntry = resolve;
      });
    }
  }
}

/** Resolves when a driver has written something after a state of the run. The signal ends the wait. */
async function movedOn(run: RunHandle, before: RunSummary, signal: AbortSignal): Promise<void> {
  const { status } = await run.summary();
  if (status.state === 'ended') return;
  // The first event after what was known is all that is waited for.
  await run.events({ after: entryId(before), signal }).next();
}
