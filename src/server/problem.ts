/**
 * From errors to answers: each code of the catalogue has one HTTP status, and its problem says what to do (RFC 9457).
 *
 * P1 What is not a coded error is `internal`, and its words stay in the log: they may hold what a caller must not see.
 */
import { AxleError, isAxleError } from '../error/axle-error.ts';
import type { ErrorClass, ErrorCode } from '../error/catalogue.ts';
import { isJsonObject, toJson } from '../util/json.ts';
import type { Problem } from './wire.ts';

const statusOfClass: Readonly<Record<ErrorClass, number>> = { retryable: 503, recoverable: 422, fatal: 500 };

/** Where the class alone says too little. */
const statusOfCode: Readonly<Partial<Record<ErrorCode, number>>> = {
  'request-invalid': 400,
  'usage-invalid': 400,
  'filter-invalid': 400,
  'idempotency-key-missing': 400,
  'token-refused': 401,
  'request-refused': 403,
  'scope-missing': 403,
  'route-unknown': 404,
  'run-unknown': 404,
  'agent-unknown': 404,
  'tool-unknown': 404,
  'upstream-unknown': 404,
  'span-unknown': 404,
  'body-unknown': 404,
  'method-not-allowed': 405,
  'run-ended': 409,
  'run-not-ended': 409,
  'undo-under-way': 409,
  'decision-already-made': 409,
  'precondition-failed': 412,
  'request-too-large': 413,
  'media-type-unsupported': 415,
  'run-key-reused': 422,
  'context-invalid': 422,
  'decision-invalid': 422,
  'value-not-storable': 422,
  'timer-out-of-range': 422,
  'precondition-missing': 428,
  'limit-exceeded': 429,
  aborted: 499,
};

/** The HTTP status of an error with this code. */
export function statusOf(code: ErrorCode, errorClass: ErrorClass): number {
  return statusOfCode[code] ?? statusOfClass[errorClass];
}

export function problemOf(error: unknown): Problem {
  const coded = isAxleError(error)
    ? error
    : new AxleError('internal', 'The server failed at this request; its log says why.', { cause: error });
  const status = statusOf(coded.code, coded.class);
  const details = toJson(coded.details);
  return {
    type: `/v1/errors/${coded.code}`,
    title: coded.code.replaceAll('-', ' '),
    status,
    detail: coded.message,
    code: coded.code,
    class: coded.class,
    remedy: coded.remedy,
    ...(isJsonObject(details) && Object.keys(details).length > 0 ? { details } : {}),
    ...(coded.effectMayHaveHappened ? { effectMayHaveHappened: true } : {}),
  };
}

export function problemResponse(error: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const problem = problemOf(error);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      ...(problem.status === 401 ? { 'www-authenticate': 'Bearer realm="axle"' } : {}),
      ...(problem.status === 503 ? { 'retry-after': '1' } : {}),
      ...headers,
    },
  });
}
