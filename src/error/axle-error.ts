/**
 * The one error class. Recognise an error by `code`, never by `instanceof` or by its text: two copies of the
 * package in one process have two classes and one set of codes.
 */
import { type ErrorClass, type ErrorCode, errorCatalogue, isErrorCode } from './catalogue.ts';

export interface AxleErrorOptions {
  /** The error that led here, kept whole. */
  readonly cause?: unknown;
  /** Structured context: plain data, no secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What to do, when the catalogue's general remedy can be made more precise. */
  readonly remedy?: string;
  /** True when a side effect may have happened although the operation failed. @defaultValue false */
  readonly effectMayHaveHappened?: boolean;
}

/** An error with a stable code, a class, and the remedy for whoever reads it. */
export class AxleError extends Error {
  override readonly name = 'AxleError';
  readonly code: ErrorCode;
  readonly class: ErrorClass;
  readonly remedy: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly effectMayHaveHappened: boolean;

  constructor(code: ErrorCode, message: string, options: AxleErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.class = errorCatalogue[code].class;
    this.remedy = options.remedy ?? errorCatalogue[code].remedy;
    this.details = options.details ?? {};
    this.effectMayHaveHappened = options.effectMayHaveHappened ?? false;
  }

  toJSON(): Record<string, unknown> {
    return {
      code: this.code,
      class: this.class,
      message: this.message,
      remedy: this.remedy,
      ...(Object.keys(this.details).length === 0 ? {} : { details: this.details }),
      ...(this.effectMayHaveHappened ? { effectMayHaveHappened: true } : {}),
    };
  }
}

/** True for an `AxleError` of any copy of the package; with `code`, only for that code. */
export function isAxleError(error: unknown, code?: ErrorCode): error is AxleError {
  try {
    if (!(error instanceof Error) || error.name !== 'AxleError') return false;
    const found: unknown = 'code' in error ? error.code : undefined;
    return isErrorCode(found) && (code === undefined || found === code);
  } catch {
    // A proxy that throws when it is looked at is none of ours.
    return false;
  }
}

/** Anything that was thrown as a coded error: what has no code is `internal`. */
export function codedOf(error: unknown): AxleError {
  return isAxleError(error) ? error : new AxleError('internal', messageOf(error), { cause: error });
}

/** The text of anything that was thrown, without a stack. */
export function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return String(error);
  try {
    if (error instanceof Error) return error.message === '' ? error.name : error.message;
    return JSON.stringify(error);
  } catch {
    return 'a value that cannot be shown';
  }
}
