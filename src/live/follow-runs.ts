/**
 * Runs followed append by append, each from its first, for observers that add things up.
 *
 * K1 Every append of a run is handed on once and in order. What was written before anybody looked (by another process, or before a rest) is read from the store and
 *    marked as history, so that it is known and not counted again.
 * K2 What is kept of a run goes when its driver lets go of it.
 * K3 The driver waits for nothing here; history is read beside it, without large values.
 */
import { type Append, lastSeqOf } from '../journal/entry.ts';
import { readAppends } from '../journal/read-appends.ts';
import type { RunStatus, Store } from '../journal/store.ts';
import type { LiveEvent, Watcher } from '../run/engine.ts';

export interface Follower<Memory> {
  /** What is kept of a run from here on. */
  begin(runId: string): Memory;
  take(memory: Memory, append: Append, isHistory: boolean): void;
  told?(memory: Memory, event: LiveEvent): void;
  /** The history of a run could not be read: what follows is handed on without it. */
  blind?(error: unknown): void;
}

interface Followed<Memory> {
  readonly memory: Memory;
  /** Appends that came while history is being read; undefined when it has been. */
  waiting: Append[] | undefined;
  isResting: boolean;
}

export class FollowedRuns<Memory> implements Watcher {
  readonly #store: Pick<Store, 'read'>;
  readonly #follower: Follower<Memory>;
  readonly #runs = new Map<string, Followed<Memory>>();
  readonly #reading = new Set<Promise<void>>();

  constructor(store: Pick<Store, 'read'>, follower: Follower<Memory>) {
    this.#store = store;
    this.#follower = follower;
  }

  /** Runs in hand. */
  get size(): number {
    return this.#runs.size;
  }

  committed(runId: string, append: Append, _status: RunStatus): void {
    const known = this.#runs.get(runId);
    if (known?.waiting !== undefined) {
      known.waiting.push(append);
      known.isResting = false;
    } else if (known !== undefined) {
      this.#follower.take(known.memory, append, false);
    } else {
      const run: Followed<Memory> = { memory: this.#follower.begin(runId), waiting: [append], isResting: false };
      this.#runs.set(runId, run);
      const reading: Promise<void> = this.#catchUp(runId, run, append.firstSeq).finally(() =>
        this.#reading.delete(reading),
      );
      this.#reading.add(reading);
    }
  }

  told(event: LiveEvent, { runId }: { readonly runId: string }): void {
    const known = this.#runs.get(runId);
    if (known !== undefined) this.#follower.told?.(known.memory, event);
  }

  rested(runId: string): void {
    const known = this.#runs.get(runId);
    if (known?.waiting === undefined) this.#runs.delete(runId);
    else known.isResting = true;
  }

  /** Resolves when the histories are read that are being read now. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.#reading);
  }

  async #catchUp(runId: string, run: Followed<Memory>, untilSeq: number): Promise<void> {
    try {
      if (untilSeq > 1) {
        for await (const append of readAppends(this.#store, runId, { bodies: 'reference' })) {
          if (lastSeqOf(append) >= untilSeq) break;
          this.#follower.take(run.memory, append, true);
        }
      }
    } catch (error) {
      this.#follower.blind?.(error);
    }
    for (const append of run.waiting ?? []) this.#follower.take(run.memory, append, false);
    run.waiting = undefined;
    if (run.isResting) this.#runs.delete(runId);
  }
}
