/** Failures in the words of the catalogue. */
import { type ErrorCode, errorCatalogue } from '../error/catalogue.ts';
import type { Failure } from './outcome.ts';

/** A failure of a code of the catalogue: its class and its advice are the catalogue's unless `more` says otherwise. */
export function failureOf(
  code: ErrorCode,
  message: string,
  more: Pick<Failure, 'evidence'> & Partial<Failure>,
): Failure {
  const { class: errorClass, remedy } = errorCatalogue[code];
  return { code, class: errorClass, message, advice: remedy, ...more };
}
