/**
 * Commits on the disk: `fdatasync` of the write-ahead log, one for all that wait; off the loop wherever it takes longer than to hand it over (`sync-pace.ts`).
 *
 * Y1 A sync covers every commit that ended before it began, also those of other processes and of one that was killed: a commit with
 *    `synchronous=NORMAL` has handed its frames to the operating system.
 * Y2 One sync runs at a time, here or in another thread; whoever comes meanwhile waits for the next one, together.
 * Y3 A sync that fails is fatal: the kernel may have dropped the pages and reports it once, so a second try that succeeds proves nothing.
 * Y4 Between commit and sync a checkpoint may come: SQLite syncs the log before it copies from it and the database before it starts the log anew, so
 *    what was committed is on the disk in one of the two, and a sync of the new log is merely not needed.
 * Y5 That a new log exists, and the header of one that starts anew, SQLite syncs by itself with the first frame.
 * Y6 Only the log is opened here. Closing a descriptor of the database or its shared memory would drop the locks of SQLite.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync } from 'node:fs';
import { AxleError } from '../../error/axle-error.ts';
import type { Position } from '../store.ts';
import { SyncPace } from './sync-pace.ts';

export interface WalSyncOptions {
  readonly walPath: string;
  /** The last commit of this process. */
  readonly committed: () => Position;
  /** Changes when another connection has committed. */
  readonly dataVersion: () => number;
  readonly onSynced: () => void;
  readonly onFatal: (error: AxleError) => void;
  /** Where a sync is made. @defaultValue where it is quicker */
  readonly pace?: SyncPace;
}

/** How much was committed at some moment. */
interface Reach {
  readonly position: Position;
  /** How often commits of other connections had been seen. */
  readonly foreign: number;
}

interface Waiter extends Reach {
  readonly resolve: () => void;
  readonly reject: (error: AxleError) => void;
}

const maxWaiters = 100_000;

export class WalSync {
  readonly #options: WalSyncOptions;
  readonly #pace: SyncPace;
  #waiters: Waiter[] = [];
  #syncedUpTo: Reach = { position: 0, foreign: 0 };
  #seenVersion: number | undefined;
  /** The first look counts too: what was there when the store was opened may come from a process that was killed. */
  #foreign = 0;
  #isRunning = false;
  #failure: AxleError | undefined;
  #descriptor: number | undefined;
  readonly #idle: (() => void)[] = [];

  constructor(options: WalSyncOptions) {
    this.#options = options;
    this.#pace = options.pace ?? new SyncPace();
  }

  /**
   * Resolves when everything up to a commit of this process is on the disk; without a position, or for one that is not reached yet, everything that is
   * committed now, also by others.
   * @throws AxleError `store-failed`, `limit-exceeded`
   */
  async synced(position: Position = Infinity): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const wanted = position > this.#options.committed() ? this.#reached() : { position, foreign: 0 };
    if (covers(this.#syncedUpTo, wanted)) return;
    if (this.#waiters.length >= maxWaiters) {
      throw new AxleError('limit-exceeded', `${maxWaiters} callers wait for a sync.`);
    }
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push({ ...wanted, resolve, reject });
      if (!this.#isRunning) this.#start();
    });
  }

  /** Waits for the sync under way and lets the log go. */
  async close(): Promise<void> {
    if (this.#isRunning) {
      await new Promise<void>((resolve) => {
        this.#idle.push(resolve);
      });
    }
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #start(): void {
    this.#isRunning = true;
    // What others have committed since it was last looked at is on the disk too, but nobody waits for it: who does has looked.
    const reach: Reach = { position: this.#options.committed(), foreign: this.#foreign };
    let descriptor: number;
    try {
      descriptor = this.#openLog();
    } catch (error) {
      this.#fail(error);
      return;
    }
    /* @crashpoint sqlite-sync-before */
    if (this.#pace.isHere()) {
      this.#syncHere(descriptor, reach);
      return;
    }
    fdatasync(descriptor, (error) => {
      if (error === null) this.#finish(reach);
      else this.#fail(error);
    });
  }

  #syncHere(descriptor: number, reach: Reach): void {
    const startedMs = performance.now();
    try {
      fdatasyncSync(descriptor);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#pace.tookHere(performance.now() - startedMs);
    this.#finish(reach);
  }

  #reached(): Reach {
    const version = this.#options.dataVersion();
    if (version !== this.#seenVersion) this.#foreign += 1;
    this.#seenVersion = version;
    return { position: this.#options.committed(), foreign: this.#foreign };
  }

  #finish(reach: Reach): void {
    /* @crashpoint sqlite-sync-after */
    this.#syncedUpTo = reach;
    this.#options.onSynced();
    const done = this.#waiters.filter((waiter) => covers(reach, waiter));
    this.#waiters = this.#waiters.filter((waiter) => !covers(reach, waiter));
    for (const waiter of done) waiter.resolve();
    if (this.#waiters.length > 0) this.#start();
    else this.#rest();
  }

  #fail(cause: unknown): void {
    this.#failure = new AxleError(
      'store-failed',
      `The log ${this.#options.walPath} could not be synced, so what is on the disk is not certain.`,
      { cause },
    );
    for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#failure);
    this.#rest();
    this.#options.onFatal(this.#failure);
  }

  #rest(): void {
    this.#isRunning = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** The log. One that was made anew is another file, and the one that was held has no name any more. */
  #openLog(): number {
    if (this.#descriptor !== undefined) {
      if (fstatSync(this.#descriptor).nlink > 0) return this.#descriptor;
      closeSync(this.#descriptor);
    }
    // Some systems sync only what is open for writing.
    this.#descriptor = openSync(this.#options.walPath, 'r+');
    return this.#descriptor;
  }
}

function covers(synced: Reach, wanted: Reach): boolean {
  return synced.position >= wanted.position && synced.foreign >= wanted.foreign;
}
