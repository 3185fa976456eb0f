/**
 * The folder of a demo: the store, the ledgers of the services, and the memos.
 *
 * F1 Only a folder that a demo made is used again, and only what demos write there is removed; a foreign one is refused.
 * F2 One demo at a time: the lock is held by the process and freed with it, however that ends.
 */
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isAxleError, messageOf } from '../../src/error/axle-error.ts';
import { takeDriverLock } from '../../src/journal/sqlite/driver-lock.ts';

export interface WorkFolder {
  readonly path: string;
  readonly store: string;
  /** Where the agent writes; it sees nothing else. */
  readonly memos: string;
  readonly weatherLedger: string;
  readonly mailLedger: string;
  readonly modelLedger: string;
  /** True when an earlier demo left a run here that this one goes on with. */
  readonly isResumed: boolean;
  release(): void;
}

/** The lock's file, by which a demo's folder is known. */
const lockName = 'axle-demo';

/** Something about the folder that its owner can put right. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

/**
 * Makes the folder, or empties the one of an earlier demo, unless that is to be resumed.
 * @throws FolderError
 */
export function openWorkFolder(path: string, options: { readonly resume: boolean }): WorkFolder {
  const absolute = resolve(path);
  const isOurs = existsSync(join(absolute, `${lockName}.lock`));
  if (!isOurs && existsSync(absolute) && listOf(absolute).length > 0) {
    throw new FolderError(
      `${absolute} holds something that is no demo of Axle's, so it is left alone. Choose another with --folder.`,
    );
  }
  if (!isOurs && options.resume) throw new FolderError(`There is no demo in ${absolute} to resume.`);
  try {
    if (!existsSync(absolute)) makeFolder(absolute);
    const lock = takeDriverLock(join(absolute, lockName));
    try {
      return { ...lay(realpathSync(absolute), options.resume), release: () => lock.release() };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (cause) {
    throw new FolderError(complaint(absolute, cause), { cause });
  }
}

function lay(path: string, resume: boolean): Omit<WorkFolder, 'release'> {
  const places = {
    store: join(path, 'axle.db'),
    memos: join(path, 'memos'),
    weatherLedger: join(path, 'weather.jsonl'),
    mailLedger: join(path, 'mail.jsonl'),
    modelLedger: join(path, 'model.jsonl'),
  };
  const isResumed = resume && existsSync(places.store);
  if (!resume) {
    const { store, ...others } = places;
    const files = ['', '-wal', '-shm', '-journal', '.lock', '.new'].map((suffix) => `${store}${suffix}`);
    for (const each of [...files, ...Object.values(others)]) rmSync(each, { recursive: true, force: true });
  }
  mkdirSync(places.memos, { recursive: true });
  return { path, ...places, isResumed };
}

function makeFolder(path: string): void {
  // Made one by one: Node's recursive form answers for a read-only disk that the path does not exist.
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  mkdirSync(path);
}

function listOf(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (cause) {
    throw new FolderError(complaint(path, cause), { cause });
  }
}

function complaint(path: string, cause: unknown): string {
  if (isAxleError(cause, 'store-locked')) {
    const { pid } = cause.details;
    return `Another demo is at work in ${path}${typeof pid === 'number' ? ` (process ${pid})` : ''}. Wait for it, or choose another folder with --folder.`;
  }
  const reason = isAxleError(cause) && cause.cause !== undefined ? messageOf(cause.cause) : messageOf(cause);
  return `The folder ${path} cannot be used: ${reason}. Choose another with --folder.`;
}
