/** Turns what happens to the disk into history: which append was written by whom, synced when, and lost when. */
import type { Append } from '../../src/journal/entry.ts';
import type { RunStatus } from '../../src/journal/store.ts';
import { appendOf, type Change, type DiskObserver } from './fake-disk.ts';
import type { Committed, History } from './history.ts';

export interface JournalEvents {
  created(runId: string, key: string | undefined): void;
  claimed(runId: string, by: string): void;
  committed(committed: Committed): void;
}

export class JournalWatch implements DiskObserver {
  readonly #history: History;
  readonly #events: JournalEvents;
  /** By position: the append that stands there, when the change is one. */
  readonly #changes: (Committed | undefined)[] = [];
  readonly #tips = new Map<string, Committed>();
  #synced = 0;

  constructor(history: History, events: JournalEvents) {
    this.#history = history;
    this.#events = events;
  }

  /** The last append of a run. */
  tip(runId: string): Committed | undefined {
    return this.#tips.get(runId);
  }

  tips(): readonly Committed[] {
    return [...this.#tips.values()];
  }

  committed(change: Change, _position: number, by: string): void {
    const at = this.#history.tick();
    switch (change.kind) {
      case 'create': {
        const { runId, key, claim } = change.run;
        if (claim === true) this.#history.claims += 1;
        this.#events.created(runId, key);
        if (claim === true) this.#events.claimed(runId, by);
        this.#add({ runId, append: appendOf(change.text), status: newStatus, by, at });
        return;
      }
      case 'append': {
        const { runId, status, snapshot, inboxCursor } = change.batch;
        this.#add({ runId, append: appendOf(change.text), status, snapshot, inboxCursor, by, at });
        return;
      }
      case 'claim':
        this.#history.claims += 1;
        this.#changes.push(undefined);
        this.#events.claimed(change.runId, by);
        return;
      case 'post':
        this.#changes.push(undefined);
    }
  }

  synced(position: number): void {
    const at = this.#history.tick();
    for (let place = this.#synced; place < position; place += 1) {
      const append = this.#changes[place];
      if (append !== undefined) append.syncedAt = at;
    }
    this.#synced = position;
  }

  cut(position: number): void {
    const at = this.#history.tick();
    for (const lost of this.#changes.splice(position).reverse()) {
      if (lost === undefined) continue;
      lost.lostAt = at;
      if (lost.previous === undefined) this.#tips.delete(lost.runId);
      else this.#tips.set(lost.runId, lost.previous);
    }
  }

  #add(fields: Omit<Committed, 'syncedAt' | 'lostAt' | 'previous' | 'snapshot' | 'inboxCursor'> & Partial<Pick<Committed, 'snapshot' | 'inboxCursor'>> & { readonly append: Append }): void {
    const committed: Committed = { snapshot: undefined, inboxCursor: undefined, ...fields, syncedAt: Infinity, lostAt: Infinity, previous: this.#tips.get(fields.runId) };
    this.#changes.push(committed);
    this.#tips.set(fields.runId, committed);
    this.#history.committed.push(committed);
    this.#events.committed(committed);
  }
}

const newStatus: RunStatus = { state: 'active', waitingOn: [], steps: 0 };
