/**
 * From a path to an opened connection.
 *
 * O1 A store appears under its name complete or not at all: it is made beside it and renamed.
 * O2 Only a driver makes a store, and only where there is nothing. A missing, empty or foreign file is an error and never an empty list of runs.
 * O3 All files are readable for their owner only.
 */
import { closeSync, existsSync, fsyncSync, openSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AxleError } from '../../error/axle-error.ts';
import { checkSchema, createSchema } from './schema.ts';
import { toStoreError } from './sqlite-fault.ts';

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  readonly storeId: string;
}

/**
 * The one name of a store, whatever links lead to it: lock and log stand beside it.
 * @throws AxleError `store-invalid` when its folder does not exist.
 */
export function canonicalPath(path: string): string {
  const absolute = resolve(path);
  try {
    if (existsSync(absolute)) return realpathSync(absolute);
    return join(realpathSync(dirname(absolute)), basename(absolute));
  } catch (cause) {
    throw new AxleError('store-invalid', `The folder of the store ${absolute} does not exist.`, { cause });
  }
}

export function storeExists(path: string): boolean {
  return existsSync(path);
}

/** @throws AxleError `store-unavailable` */
export function createStoreFile(path: string): void {
  const unfinished = `${path}.new`;
  try {
    // Under the driver's lock, so a file of this name is what a process left that was killed here.
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${unfinished}${suffix}`, { force: true });
    closeSync(openSync(unfinished, 'wx', 0o600));
    const database = new DatabaseSync(unfinished);
    try {
      createSchema(database);
    } finally {
      database.close();
    }
    syncPath(unfinished, 'r+');
    /* @crashpoint sqlite-store-created-before */
    renameSync(unfinished, path);
    syncPath(dirname(path), 'r');
    /* @crashpoint sqlite-store-created-after */
  } catch (error) {
    const coded = toStoreError(error, `creating ${path}`);
    throw coded.code === 'internal'
      ? new AxleError('store-unavailable', `The store ${path} cannot be created.`, { cause: error })
      : coded;
  }
}

/** Of a folder, or of a file that no connection of this process has open. */
function syncPath(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Opens a store that exists.
 * @throws AxleError `store-invalid`, `store-too-new`, `store-unavailable`
 */
export function openDatabase(
  path: string,
  options: { readonly mayMigrate: boolean; readonly busyMs: number },
): OpenedDatabase {
  if (!existsSync(path)) {
    throw new AxleError('store-invalid', `There is no store at ${path}.`, {
      remedy: 'Check the path; a driver makes the store when it starts.',
    });
  }
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: options.busyMs });
    const storeId = checkSchema(database, path, options.mayMigrate);
    // Checkpoints and syncs are ours to make (checkpointer.ts, wal-sync.ts).
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF;',
    );
    return { database, storeId };
  } catch (error) {
    database?.close();
    throw toStoreError(error, `opening ${path}`);
  }
}
