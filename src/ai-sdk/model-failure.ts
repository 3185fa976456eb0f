/**
 * What a provider threw, as a failure for the journal.
 *
 * F1 A failure carries no request: neither headers nor body nor the query of the address.
 * F2 Errors are recognised by their fields, never by class: provider packages bring their own copies.
 */
import { isMistakeOfCode, modelFailure, threw } from '../brain/model-failure.ts';
import type { Failure } from '../call/outcome.ts';
import { messageOf } from '../error/axle-error.ts';
import type { ErrorCode } from '../error/catalogue.ts';
import { cutText } from '../util/cut-text.ts';
import { defined } from '../util/defined.ts';
import { isRecord, type JsonValue } from '../util/json.ts';
import { retryAfterMs } from '../util/retry-after.ts';

/** Statuses below 500 after which the same request may succeed. */
const passingStatuses: readonly number[] = [408, 409, 425, 429];

/** Faults of the set-up or of the request itself: no repetition mends them. */
const refusals: readonly string[] = [
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_NoSuchProviderReferenceError',
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
  'AI_TooManyEmbeddingValuesForCallError',
];

/** The provider, or the way to it, is at fault: worth another try. */
export function unavailable(message: string): Failure {
  return modelFailure('model-unavailable', message);
}

/** The caller gave up. */
export function aborted(): Failure {
  return modelFailure('aborted', 'The model call was aborted.');
}

/** Classifies anything that `doGenerate` threw. `nowMs` serves only to read a `Retry-After` date. */
export function toModelFailure(error: unknown, nowMs: number): Failure {
  const fields = isRecord(error) ? error : {};
  const status = typeof fields['statusCode'] === 'number' ? fields['statusCode'] : undefined;
  if (status === undefined && isMistakeOfCode(error)) return threw(error);
  const headers = readHeaders(fields['responseHeaders']);
  const code = codeOf(fields, status);
  const waitMs = code === 'model-refused' ? undefined : retryAfterMs(headers, nowMs);
  const details = detailsOf(fields, status, headers);
  return {
    ...modelFailure(code, wording(error, status)),
    ...defined({ retryAfterMs: waitMs, details }),
  };
}

function codeOf(fields: Readonly<Record<string, unknown>>, status: number | undefined): ErrorCode {
  if (status === 429) return isQuotaSpent(fields['data']) ? 'model-refused' : 'upstream-rate-limited';
  if (status !== undefined && status >= 400) {
    const retryable = typeof fields['isRetryable'] === 'boolean' ? fields['isRetryable'] : status >= 500;
    return retryable || passingStatuses.includes(status) ? 'model-unavailable' : 'model-refused';
  }
  // No status: the network. A status of success: a body that nobody could read.
  return typeof fields['name'] === 'string' && refusals.includes(fields['name'])
    ? 'model-refused'
    : 'model-unavailable';
}

/** OpenAI answers 429 also when the account has run dry; waiting does not help then. */
function isQuotaSpent(data: unknown): boolean {
  const error = isRecord(data) ? data['error'] : undefined;
  return isRecord(error) && (error['code'] === 'insufficient_quota' || error['type'] === 'insufficient_quota');
}

function wording(error: unknown, status: number | undefined): string {
  const words = messageOf(error);
  return status === undefined ? words : `The provider answered ${status}: ${words}`;
}

function detailsOf(
  fields: Readonly<Record<string, unknown>>,
  status: number | undefined,
  headers: ReadonlyMap<string, string>,
): JsonValue | undefined {
  const url = typeof fields['url'] === 'string' ? plainAddress(fields['url']) : undefined;
  const requestId = headers.get('x-request-id') ?? headers.get('request-id');
  const details = {
    ...defined({ status, url }),
    ...(requestId === undefined ? {} : { requestId: cutText(requestId, 200) }),
  };
  return Object.keys(details).length === 0 ? undefined : details;
}

/** Origin and path: user names, passwords and queries may hold secrets. */
function plainAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed === null ? undefined : cutText(`${parsed.origin}${parsed.pathname}`, 500);
}

function readHeaders(headers: unknown): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  if (!isRecord(headers)) return read;
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') read.set(name.toLowerCase(), value);
  }
  return read;
}
