/**
 * A watcher that is told later, of many things at once: what is made of an append is then made in one go with hundreds of others, which costs a third of making it between
 * the steps of runs.
 *
 * B1 Everything is told in order, and what waits is bounded.
 * B2 A run that begins with history is told at once: its history is read from the store, which may be closed later.
 */
import type { Append } from '../journal/entry.ts';
import type { RunStatus } from '../journal/store.ts';
import type { Watcher } from '../run/engine.ts';

type Told =
  | { readonly kind: 'committed'; readonly runId: string; readonly append: Append; readonly status: RunStatus }
  | { readonly kind: 'rested'; readonly runId: string };

const maxWaiting = 256;

/** Who is told. */
export interface ToldLater extends Pick<Watcher, 'committed' | 'rested'> {
  /** Resolves when nothing of what was told is still being read. */
  caughtUp(): Promise<void>;
}

export class Later implements Watcher {
  readonly #watcher: ToldLater;
  readonly #onWaiting: () => void;
  #waiting: Told[] = [];
  /** Runs that the watcher knows, or will. */
  readonly #known = new Set<string>();

  /** `onWaiting` is called when something begins to wait: whoever is called sees to it that `tell` is, some time. */
  constructor(watcher: ToldLater, onWaiting: () => void) {
    this.#watcher = watcher;
    this.#onWaiting = onWaiting;
  }

  committed(runId: string, append: Append, status: RunStatus): void {
    const hasHistory = append.firstSeq > 1 && !this.#known.has(runId);
    this.#known.add(runId);
    this.#add({ kind: 'committed', runId, append, status });
    if (hasHistory) this.tell();
  }

  told(): void {}

  rested(runId: string): void {
    this.#known.delete(runId);
    this.#add({ kind: 'rested', runId });
  }

  /** Tells what waits. */
  tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const told of waiting) {
      if (told.kind === 'rested') this.#watcher.rested(told.runId);
      else this.#watcher.committed(told.runId, told.append, told.status);
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
