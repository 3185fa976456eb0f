/**
 * Writes of many runs, committed together.
 *
 *             write()               due, not paused, file not busy
 *   idle ───────────────► queued ────────────────────────────────► committing ──► idle, or queued while more waits
 *                           ▲  └── pause(): stays queued until resume()      │
 *                           └────────────── file busy: again soon ───────────┘
 *
 * W1 A work runs inside a transaction that is open for the whole group, on the only connection that writes. What it reads there holds until the commit.
 * W2 A work that throws an `AxleError` has changed nothing, and fails alone; the group goes on. So it decides before it writes.
 * W3 Any other fault rolls the group back. When it is not the store's own, each work is tried again by itself, so that only the guilty one fails.
 * W4 A promise settles only after its commit; the order of works is the order in which they were asked for.
 * W5 A group has at most 32 works and 4 Mi characters, so that the loop is not held up; the queue has a limit too.
 *
 * A flush waits for `setImmediate`: it costs a lone run 1 microsecond against a microtask, groups all runs that moved since the last one, and
 * leaves the loop to others in between.
 */
import type { DatabaseSync } from 'node:sqlite';
import { AxleError } from '../../error/axle-error.ts';
import type { Position } from '../store.ts';
import { isBusy, toStoreError } from './sqlite-fault.ts';

/** What a work returned, and the commit that made it last. */
export interface Written<T> {
  readonly value: T;
  readonly position: Position;
}

export interface GroupCommitOptions {
  readonly database: DatabaseSync;
  /** How long a file that another process holds is tried again before its writes are refused. */
  readonly busyForMs: number;
  /** Told when a transaction has begun, and when one is taken back. */
  readonly onBegin: () => void;
  readonly onRollBack: () => void;
  /** Told after each commit, before anyone else hears of it. `size` is the sum over the group. */
  readonly onCommit: (size: number) => void;
  /** Told when the store's content is not certain any more. */
  readonly onFatal: (error: AxleError) => void;
}

const maxGroupWorks = 32;
const maxGroupSize = 4 * 1024 * 1024;
const maxQueuedWorks = 100_000;
const maxQueuedSize = 256 * 1024 * 1024;
const busyPauseMs = 5;

interface Queued {
  readonly size: number;
  /** Runs the work; what it returns tells the caller about the commit. */
  readonly run: () => (position: Position) => void;
  readonly fail: (error: AxleError) => void;
}

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  // Executed by `get`, which for a statement without rows costs less than the result that `run` makes.
  readonly #begin;
  readonly #commit;
  #queue: Queued[] = [];
  #queuedSize = 0;
  #isScheduled = false;
  #isPaused = false;
  #busySinceMs: number | undefined;
  #failure: AxleError | undefined;
  readonly #idle: (() => void)[] = [];
  #lastPosition: Position = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#begin = options.database.prepare('BEGIN IMMEDIATE');
    this.#commit = options.database.prepare('COMMIT');
  }

  /** The last commit. */
  get committed(): Position {
    return this.#lastPosition;
  }

  /** Queues a work (W1, W2). `size` is about what it writes, in characters. */
  write<T>(size: number, work: () => T): Promise<Written<T>> {
    // What is thrown in here rejects the promise. The function is not async: its promise would be handed on through another one.
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#queue.length >= maxQueuedWorks || this.#queuedSize + size > maxQueuedSize) {
        throw new AxleError(
          'store-unavailable',
          `${this.#queue.length} writes wait for the store, which is the limit.`,
        );
      }
      const run = (): ((position: Position) => void) => {
        const value = work();
        return (position) => resolve({ value, position });
      };
      this.#queue.push({ size, run, fail: reject });
      this.#queuedSize += size;
      this.#schedule();
    });
  }

  /** Nothing is committed until `resume`, so that a checkpoint can have the file for itself. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#schedule();
  }

  /** Resolves when nothing is queued. */
  async drained(): Promise<void> {
    if (this.#queue.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
    });
  }

  /** From now on every write is refused with `error`. */
  refuse(error: AxleError): void {
    this.#failure = error;
    this.#failAll(this.#queue.splice(0), error);
  }

  #schedule(delayMs = 0): void {
    if (this.#isScheduled || this.#isPaused || this.#queue.length === 0) return;
    this.#isScheduled = true;
    if (delayMs === 0) setImmediate(() => this.#flush());
    else setTimeout(() => this.#flush(), delayMs);
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.#isPaused) return;
    const group = this.#takeGroup();
    if (group.length > 0) this.#commitGroup(group);
    this.#schedule(this.#busySinceMs === undefined ? 0 : busyPauseMs);
    if (this.#queue.length === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #takeGroup(): Queued[] {
    let size = 0;
    let count = 0;
    for (const work of this.#queue) {
      if (count > 0 && (count >= maxGroupWorks || size + work.size > maxGroupSize)) break;
      count += 1;
      size += work.size;
    }
    this.#queuedSize -= size;
    return this.#queue.splice(0, count);
  }

  #commitGroup(group: readonly Queued[]): void {
    let acknowledge: readonly ((position: Position) => void)[];
    try {
      acknowledge = this.#transact(group);
    } catch (error) {
      this.#rollBack(error);
      this.#settleFault(group, error);
      return;
    }
    this.#busySinceMs = undefined;
    this.#lastPosition += 1;
    this.#options.onCommit(sizeOf(group));
    for (const told of acknowledge) told(this.#lastPosition);
  }

  #transact(group: readonly Queued[]): readonly ((position: Position) => void)[] {
    /* @crashpoint sqlite-commit-before-begin */
    this.#begin.get();
    /* @crashpoint sqlite-commit-after-begin */
    this.#options.onBegin();
    const acknowledge = group.map(attempt);
    /* @crashpoint sqlite-commit-before */
    this.#commit.get();
    /* @crashpoint sqlite-commit-after */
    return acknowledge;
  }

  #rollBack(cause: unknown): void {
    this.#options.onRollBack();
    try {
      // SQLite has already rolled back by itself after some faults, a full disk among them.
      if (this.#options.database.isTransaction) this.#options.database.exec('ROLLBACK');
    } catch (error) {
      this.#fatal(
        new AxleError('store-failed', 'A transaction could not be rolled back.', { cause: error, details: { cause } }),
      );
    }
  }

  /** After a fault of the whole group: again soon, or refused together, or each by itself to find the guilty one (W3). */
  #settleFault(group: readonly Queued[], cause: unknown): void {
    if (this.#failure === undefined && isBusy(cause) && this.#mayTryAgain()) {
      this.#queue = [...group, ...this.#queue];
      this.#queuedSize += sizeOf(group);
      return;
    }
    this.#busySinceMs = undefined;
    const error = this.#failure ?? toStoreError(cause, 'writing');
    if (error.code === 'internal' && group.length > 1) {
      for (const work of group) this.#commitGroup([work]);
      return;
    }
    this.#failAll(group, error);
    if (error.code === 'store-failed' && this.#failure === undefined) this.#fatal(error);
  }

  #mayTryAgain(): boolean {
    const nowMs = performance.now();
    this.#busySinceMs ??= nowMs;
    return nowMs - this.#busySinceMs < this.#options.busyForMs;
  }

  #fatal(error: AxleError): void {
    this.refuse(error);
    this.#options.onFatal(error);
  }

  #failAll(group: readonly Queued[], error: AxleError): void {
    for (const work of group) work.fail(error);
  }
}

function sizeOf(group: readonly Queued[]): number {
  return group.reduce((sum, work) => sum + work.size, 0);
}

/** Runs one work; one that refuses itself is told with the others, after the commit. */
function attempt(work: Queued): (position: Position) => void {
  try {
    return work.run();
  } catch (error) {
    if (!(error instanceof AxleError)) throw error;
    return () => work.fail(error);
  }
}
