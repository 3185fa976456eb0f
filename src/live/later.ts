/**
 * A watcher that is told later, of many things at once: what is made of an append is then made in one go with dozens of others, which costs a third of making it
 * between the steps of runs.
 *
 * B1 Everything is told in order, and what waits is bounded.
 * B2 A run that begins with history is told at once: its history is read from the store, which may be closed later.
 * B3 Of what is said between two appends of a run, the first thing is told that anybody wants to hear.
 */
import type { Append } from '../journal/entry.ts';
import type { LiveEvent, Watcher } from '../run/engine.ts';

/** Who is told. `nowMs` is when it happened, by the clock that `Later` is given; undefined for the append by which a run was accepted. */
export interface ToldLater {
  committed(runId: string, append: Append, nowMs: number | undefined): void;
  /** True for what `said` is to be told. */
  hears(event: LiveEvent): boolean;
  said(runId: string, event: LiveEvent, nowMs: number): void;
  rested(runId: string): void;
  /** Resolves when nothing of what was told is still being read. */
  caughtUp(): Promise<void>;
}

interface Told {
  readonly runId: string;
  /** Absent, like `event`, when the driver has let go of the run. */
  readonly append: Append | undefined;
  readonly event: LiveEvent | undefined;
  readonly nowMs: number | undefined;
}

/** Values of entries are kept while they wait; with four times as many nothing is saved that could be measured. */
const maxWaiting = 64;

export class Later implements Watcher {
  readonly #watcher: ToldLater;
  readonly #onWaiting: () => void;
  readonly #nowMs: () => number;
  #waiting: Told[] = [];
  /** Runs that the watcher knows, or will. */
  readonly #known = new Set<string>();
  /** Those of which something was heard since their last append. */
  readonly #heard = new Set<string>();

  /**
   * `onWaiting` is called when something begins to wait: whoever is called sees to it that `tell` is, some time. `nowMs` is asked for each append.
   * @defaultValue `nowMs` is 0 for who has no use for it
   */
  constructor(watcher: ToldLater, onWaiting: () => void, nowMs: () => number = () => 0) {
    this.#watcher = watcher;
    this.#onWaiting = onWaiting;
    this.#nowMs = nowMs;
  }

  accepted(runId: string, append: Append): void {
    this.#known.add(runId);
    this.#add({ runId, append, event: undefined, nowMs: undefined });
  }

  committed(runId: string, append: Append): void {
    const hasHistory = !this.#known.has(runId);
    if (hasHistory) this.#known.add(runId);
    if (this.#heard.size > 0) this.#heard.delete(runId);
    this.#add({ runId, append, event: undefined, nowMs: this.#nowMs() });
    if (hasHistory) this.tell();
  }

  told(event: LiveEvent, { runId }: { readonly runId: string }): void {
    if (this.#heard.has(runId) || !this.#watcher.hears(event)) return;
    this.#heard.add(runId);
    this.#add({ runId, append: undefined, event, nowMs: this.#nowMs() });
  }

  rested(runId: string): void {
    this.#known.delete(runId);
    this.#heard.delete(runId);
    this.#add({ runId, append: undefined, event: undefined, nowMs: undefined });
  }

  /** Tells what waits. */
  tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { runId, append, event, nowMs } of waiting) {
      if (append !== undefined) this.#watcher.committed(runId, append, nowMs);
      else if (event !== undefined) this.#watcher.said(runId, event, nowMs ?? 0);
      else this.#watcher.rested(runId);
    }
  }

  /** The same, to its end. */
  async tellAll(): Promise<void> {
    this.tell();
    await this.#watcher.caughtUp();
  }

  #add(told: Told): void {
    this.#waiting.push(told);
    if (this.#waiting.length === 1) this.#onWaiting();
    if (this.#waiting.length >= maxWaiting) this.tell();
  }
}
