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
import type { Store } from '../journal/store.ts';
import type { LiveEvent } from '../run/engine.ts';
import type { ToldLater } from './later.ts';

export interface Follower<Memory> {
  /** What is kept of a run from here on. */
  begin(runId: string): Memory;
  /** `nowMs` is when it was committed, by the clock of this process; undefined for history, to which its acceptance belongs. */
  take(memory: Memory, append: Append, nowMs: number | undefined): void;
  /** What it wants to hear of what is said between appends. @defaultValue nothing */
  hears?(event: LiveEvent): boolean;
  said?(memory: Memory, event: LiveEvent, nowMs: number): void;
  /** The history of a run could not be read: what follows is handed on without it. */
  blind?(error: unknown): void;
}

interface Followed<Memory> {
  readonly memory: Memory;
  /** Appends that came while history is being read; undefined when it has been. */
  waiting: { readonly append: Append; readonly nowMs: number | undefined }[] | undefined;
  isResting: boolean;
}

export class FollowedRuns<Memory> implements ToldLater {
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

  committed(runId: string, append: Append, nowMs: number | undefined): void {
    const known = this.#runs.get(runId);
    if (known?.waiting !== undefined) {
      known.waiting.push({ append, nowMs });
      known.isResting = false;
    } else if (known !== undefined) {
      this.#follower.take(known.memory, append, nowMs);
    } else {
      this.#begin(runId, append, nowMs);
    }
  }

  hears(event: LiveEvent): boolean {
    return this.#follower.hears?.(event) ?? false;
  }

  said(runId: string, event: LiveEvent, nowMs: number): void {
    const known = this.#runs.get(runId);
    if (known !== undefined) this.#follower.said?.(known.memory, event, nowMs);
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

  #begin(runId: string, append: Append, nowMs: number | undefined): void {
    const memory = this.#follower.begin(runId);
    const hasHistory = append.firstSeq > 1;
    const run: Followed<Memory> = { memory, waiting: hasHistory ? [{ append, nowMs }] : undefined, isResting: false };
    this.#runs.set(runId, run);
    if (!hasHistory) {
      this.#follower.take(memory, append, nowMs);
      return;
    }
    const reading: Promise<void> = this.#catchUp(runId, run, append.firstSeq).finally(() =>
      this.#reading.delete(reading),
    );
    this.#reading.add(reading);
  }

  async #catchUp(runId: string, run: Followed<Memory>, untilSeq: number): Promise<void> {
    try {
      for await (const append of readAppends(this.#store, runId, { bodies: 'reference' })) {
        if (lastSeqOf(append) >= untilSeq) break;
        this.#follower.take(run.memory, append, undefined);
      }
    } catch (error) {
      this.#follower.blind?.(error);
    }
    for (const { append, nowMs } of run.waiting ?? []) this.#follower.take(run.memory, append, nowMs);
    run.waiting = undefined;
    if (run.isResting) this.#runs.delete(runId);
  }
}
