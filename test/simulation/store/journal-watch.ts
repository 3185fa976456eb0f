/** Turns what happens to the disk into history: which append was written by whom, synced when, and lost when. */
import type { RunStatus } from '../../../src/journal/store.ts';
import type { Change, DiskObserver } from './fake-disk.ts';
import type { Claim, Committed, History, Moment } from '../history/history.ts';

export interface JournalEvents {
  created(runId: string, key: string | undefined): void;
  claimed(runId: string, by: string): void;
  committed(committed: Committed): void;
}

export class JournalWatch implements DiskObserver {
  readonly #history: History;
  readonly #events: JournalEvents;
  /** By position: the append and the claim that stand there, where the change is one. */
  readonly #changes: { readonly append?: Committed; readonly claim?: Claim }[] = [];
  readonly #epochOf: (runId: string) => number;
  readonly #tips = new Map<string, Committed>();
  #synced = 0;

  constructor(history: History, events: JournalEvents, epochOf: (runId: string) => number) {
    this.#history = history;
    this.#epochOf = epochOf;
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
        this.#events.created(runId, key);
        const claimed = claim === true ? this.#claimed(runId, by, at) : undefined;
        this.#add({ runId, append: change.row.append, status: newStatus, by, at }, claimed);
        return;
      }
      case 'append': {
        const { runId, status, snapshot, inboxCursor } = change.batch;
        this.#add({ runId, append: change.row.append, status, snapshot, inboxCursor, by, at });
        return;
      }
      case 'claim':
        this.#changes.push({ claim: this.#claimed(change.runId, by, at) });
        return;
      case 'post':
      case 'keep':
      case 'order':
        this.#changes.push({});
    }
  }

  synced(position: number): void {
    const at = this.#history.tick();
    for (let place = this.#synced; place < position; place += 1) {
      const append = this.#changes[place]?.append;
      if (append !== undefined) append.syncedAt = at;
    }
    this.#synced = position;
  }

  cut(position: number): void {
    const at = this.#history.tick();
    for (const { append: lost, claim } of this.#changes.splice(position).reverse()) {
      if (claim !== undefined) claim.lostAt = at;
      if (lost === undefined) continue;
      lost.lostAt = at;
      if (lost.previous === undefined) this.#tips.delete(lost.runId);
      else this.#tips.set(lost.runId, lost.previous);
    }
  }

  #claimed(runId: string, by: string, at: Moment): Claim {
    const claim: Claim = { runId, epoch: this.#epochOf(runId), by, at, lostAt: Infinity };
    this.#history.claims.push(claim);
    this.#events.claimed(runId, by);
    return claim;
  }

  #add(fields: Written, claim?: Claim): void {
    const append: Committed = {
      snapshot: undefined,
      inboxCursor: undefined,
      ...fields,
      syncedAt: Infinity,
      lostAt: Infinity,
      previous: this.#tips.get(fields.runId),
    };
    this.#changes.push(claim === undefined ? { append } : { append, claim });
    this.#tips.set(fields.runId, append);
    this.#history.committed.push(append);
    this.#events.committed(append);
  }
}

type Written = Pick<Committed, 'runId' | 'append' | 'status' | 'by' | 'at'> &
  Partial<Pick<Committed, 'snapshot' | 'inboxCursor'>>;

const newStatus: RunStatus = { state: 'active', waitingOn: [], steps: 0 };
