/** What a fault of SQLite or of the file system means for whoever uses the store. */
import { AxleError, messageOf } from '../../error/axle-error.ts';
import type { ErrorCode } from '../../error/catalogue.ts';

const primary = {
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** I/O faults that say "no room for it now" rather than "what was written is not certain": memory, and growing the file of shared memory. */
const passingIoFaults: readonly number[] = [io(12), io(18), io(19), io(21)];

function io(detail: number): number {
  return primary.io + detail * 256;
}

/** The extended result code of an error that came from SQLite. */
export function sqliteCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** True when another connection holds the file, and the same will work when it lets go. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code !== undefined && ((code & 0xff) === primary.busy || (code & 0xff) === primary.locked);
}

/**
 * The coded form of whatever was thrown while `doing` something. An `AxleError` passes as it is.
 * `store-failed` means that the content is not certain any more.
 */
export function toStoreError(error: unknown, doing: string): AxleError {
  if (error instanceof AxleError) return error;
  return new AxleError(codeOf(sqliteCodeOf(error)), `The store failed while ${doing}: ${messageOf(error)}.`, {
    cause: error,
  });
}

/** The catalogue code of an extended result code of SQLite. */
export function codeOf(code: number | undefined): ErrorCode {
  if (code === undefined) return 'internal';
  switch (code & 0xff) {
    case primary.busy:
    case primary.locked:
    case primary.noMemory:
    case primary.readOnly:
    case primary.full:
    case primary.cannotOpen:
      return 'store-unavailable';
    case primary.io:
      return passingIoFaults.includes(code) ? 'store-unavailable' : 'store-failed';
    case primary.corrupt:
    case primary.notADatabase:
      return 'store-invalid';
    default:
      return 'internal';
  }
}

/** What the file system says when the path is at fault, and not the moment: waiting would not help. */
const pathFaults: ReadonlySet<unknown> = new Set([
  'EACCES',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'EPERM',
  'EROFS',
]);

/** The coded form of what the file system said about a path; `what` is a sentence without its end. */
export function toPathError(error: unknown, what: string): AxleError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return new AxleError(pathFaults.has(code) ? 'store-unusable' : 'store-unavailable', `${what}: ${messageOf(error)}.`, {
    cause: error,
  });
}
