/**
 * Who drives a store: the process that holds an exclusive lock on the database `<store>.lock`.
 *
 * K1 At most one process holds it, and one process at most once.
 * K2 The operating system frees it with the process, however that ends. Nothing else does, so no clock decides who drives.
 * K3 Its holder's process id stands in the file's `user_version`, readable for others past the lock.
 */
import { closeSync, existsSync, openSync } from 'node:fs';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { AxleError } from '../../error/axle-error.ts';
import { numberOf } from './row-reader.ts';
import { isBusy, toPathError, toStoreError } from './sqlite-fault.ts';

/** The lock, held until `release`. */
export interface DriverLock {
  release(): void;
}

/**
 * Takes the lock, or fails at once.
 * @throws AxleError `store-locked` with the process id of the holder; `store-unusable`, `store-unavailable`
 */
export function takeDriverLock(storePath: string): DriverLock {
  const path = `${storePath}.lock`;
  createPrivately(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // In this mode the lock of a transaction stays after its commit; a journal in memory leaves no file beside it.
    database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
      BEGIN EXCLUSIVE; PRAGMA user_version = ${process.pid}; COMMIT;`);
  } catch (error) {
    database?.close();
    throw isBusy(error) ? locked(storePath, path) : toStoreError(error, `locking ${path}`);
  }
  const held = database;
  return { release: () => held.close() };
}

function locked(storePath: string, path: string): AxleError {
  const pid = holderOf(path);
  const holder =
    pid === process.pid ? 'this process already' : pid === undefined ? 'another process' : `process ${pid}`;
  return new AxleError(
    'store-locked',
    `${storePath} is driven by ${holder}.`,
    pid === undefined ? {} : { details: { pid } },
  );
}

function holderOf(path: string): number | undefined {
  const url = pathToFileURL(path);
  url.search = '?immutable=1';
  try {
    const database = new DatabaseSync(url, { readOnly: true });
    try {
      const row = database.prepare('PRAGMA user_version').get();
      const pid = row === undefined ? 0 : numberOf(row, 'user_version');
      return pid > 0 ? pid : undefined;
    } finally {
      database.close();
    }
  } catch {
    // The holder's number is only for the message; the lock itself has already spoken.
    return undefined;
  }
}

/**
 * The process id of the driver of a store, as far as another process can tell without getting in its way; undefined when none runs.
 * For messages only: the lock itself decides. Not for the driver's own process.
 */
export function driverOf(storePath: string): number | undefined {
  const path = `${storePath}.lock`;
  if (!existsSync(path)) return undefined;
  const pid = holderOf(path);
  // The number outlives its process, and another process may have it by now: only then is the lock itself looked at.
  return pid !== undefined && isAlive(pid) && isLocked(path) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Reading takes a shared lock, which nobody gets beside the driver. */
function isLocked(path: string): boolean {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    try {
      database.prepare('PRAGMA user_version').get();
      return false;
    } finally {
      database.close();
    }
  } catch {
    return true;
  }
}

/** Only ever creates: opening and closing a file that SQLite has locked in this process would drop the lock. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
      throw toPathError(error, `The lock ${path} cannot be made`);
    }
  }
}
