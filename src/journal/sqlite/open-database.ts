/**
 * From a path to an opened connection.
 *
 * O1 A store appears under its name complete or not at all: it is made beside it and renamed.
 * O2 Only a driver makes a store, and only where there is nothing. A missing, empty or foreign file is an error and never an empty list of runs.
 * O3 All files are readable for their owner only.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AxleError } from '../../error/axle-error.ts';
import { checkSchema, createSchema } from './schema.ts';
import { toPathError, toStoreError } from './sqlite-fault.ts';

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  readonly storeId: string;
}

/**
 * The one name of a store, whatever links lead to it: lock and log stand beside it.
 * @throws AxleError `store-unusable` when its folder does not exist.
 */
export function canonicalPath(path: string): string {
  const absolute = resolve(path);
  try {
    if (existsSync(absolute)) return realpathSync(absolute);
    return join(realpathSync(dirname(absolute)), basename(absolute));
  } catch (cause) {
    throw new AxleError('store-unusable', `The folder of the store ${absolute} does not exist.`, {
      cause,
      remedy: 'Make the folder first, or correct the path.',
    });
  }
}

/**
 * Looks at a path before SQLite does, which says less. Reading needs the permission to write as well: log, index and lock stand beside the file.
 * @throws AxleError `store-unusable`
 */
export function assertUsable(path: string): void {
  const folder = dirname(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) {
    throw new AxleError('store-unusable', `${path} is a folder, and a store is a file.`, {
      remedy: `Name a file in it, such as ${join(path, 'axle.db')}.`,
    });
  }
  if (found === undefined) return;
  assertAccess(path, constants.R_OK | constants.W_OK, `The store ${path} cannot be read and written by this user`);
  assertAccess(folder, constants.W_OK | constants.X_OK, `This user may make no files in ${folder}, where the store is`);
}

function assertAccess(path: string, mode: number, what: string): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    throw toPathError(error, what);
  }
}

export function storeExists(path: string): boolean {
  return existsSync(path);
}

/** @throws AxleError `store-unusable`, `store-unavailable` */
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
    throw coded.code === 'internal' ? toPathError(error, `The store ${path} cannot be made`) : coded;
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
