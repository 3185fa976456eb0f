/**
 * Commits on the disk: `fdatasync` of the write-ahead log, off the loop, one for all that wait.
 *
 * Y1 A sync covers every commit that ended before it began, also those of other processes and of one that was killed: a commit with
 *    `synchronous=NORMAL` has handed its frames to the operating system.
 * Y2 One sync runs at a time; whoever comes meanwhile waits for the next one, together.
 * Y3 A sync that fails is fatal: the kernel may have dropped the pages and reports it once, so a second try that succeeds proves nothing.
 * Y4 Between commit and sync a checkpoint may come: SQLite syncs the log before it copies from it and the database before it starts the log anew, so
 *    what was committed is on the disk in one of the two, and a sync of the new log is merely not needed.
 * Y5 That a new log exists, and the header of one that starts anew, SQLite syncs by itself with the first frame.
 * Y6 Only the log is opened here. Closing a descriptor of the database or its shared memory would drop the locks of SQLite.
 */
import { closeSync, fdatasync, fstatSync, openSync, statSync } from 'node:fs';
import { AxleError } from '../../error/axle-error.ts';
import type { Position } from '../store.ts';

export interface WalSyncOptions {
  readonly walPath: string;
  readonly committed: () => Position;
  readonly onSynced: () => void;
  readonly onFatal: (error: AxleError) => void;
}

interface Waiter {
  readonly position: Position;
  readonly resolve: () => void;
  readonly reject: (error: AxleError) => void;
}

const maxWaiters = 100_000;

export class WalSync {
  private readonly options: WalSyncOptions;
  private waiters: Waiter[] = [];
  private syncedUpTo: Position = 0;
  private isRunning = false;
  private failure: AxleError | undefined;
  private descriptor: number | undefined;
  private readonly idle: (() => void)[] = [];

  constructor(options: WalSyncOptions) {
    this.options = options;
  }

  /**
   * Resolves when everything up to a position is on the disk, or everything that is committed now for a position that is not reached yet.
   * @throws AxleError `store-failed`, `limit-exceeded`
   */
  async synced(upTo: Position): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    const position = Math.min(upTo, this.options.committed());
    if (position <= this.syncedUpTo) return;
    if (this.waiters.length >= maxWaiters) {
      throw new AxleError('limit-exceeded', `${maxWaiters} callers wait for a sync.`);
    }
    await new Promise<void>((resolve, reject) => {
      this.waiters.push({ position, resolve, reject });
      if (!this.isRunning) this.start();
    });
  }

  /** Waits for the sync under way and lets the log go. */
  async close(): Promise<void> {
    if (this.isRunning) {
      await new Promise<void>((resolve) => {
        this.idle.push(resolve);
      });
    }
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private start(): void {
    this.isRunning = true;
    const covers = this.options.committed();
    let descriptor: number;
    try {
      descriptor = this.openLog();
    } catch (error) {
      this.fail(error);
      return;
    }
    /* @crashpoint sqlite-sync-before */
    fdatasync(descriptor, (error) => {
      /* @crashpoint sqlite-sync-after */
      if (error === null) this.finish(covers);
      else this.fail(error);
    });
  }

  private finish(covers: Position): void {
    this.syncedUpTo = covers;
    this.options.onSynced();
    const done = this.waiters.filter((waiter) => waiter.position <= covers);
    this.waiters = this.waiters.filter((waiter) => waiter.position > covers);
    for (const waiter of done) waiter.resolve();
    if (this.waiters.length > 0) this.start();
    else this.rest();
  }

  private fail(cause: unknown): void {
    this.failure = new AxleError(
      'store-failed',
      `The log ${this.options.walPath} could not be synced, so what is on the disk is not certain.`,
      { cause },
    );
    for (const waiter of this.waiters.splice(0)) waiter.reject(this.failure);
    this.rest();
    this.options.onFatal(this.failure);
  }

  private rest(): void {
    this.isRunning = false;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  /** The log as it stands under its name now: one that was made anew is another file. */
  private openLog(): number {
    const { dev, ino } = statSync(this.options.walPath);
    if (this.descriptor !== undefined) {
      const held = fstatSync(this.descriptor);
      if (held.dev === dev && held.ino === ino) return this.descriptor;
      closeSync(this.descriptor);
    }
    // Some systems sync only what is open for writing.
    this.descriptor = openSync(this.options.walPath, 'r+');
    return this.descriptor;
  }
}
