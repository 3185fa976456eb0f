/**
 * A response that is no success, as a `ToolError`.
 *
 * Q1 Evidence `none` is said only of the statuses by which a server says that it has not begun: 401 (nobody is known), 405, 411, 413, 414, 415, 421, 425, 429, 431
 *    (RFC 9110, 6585, 8470). Other 4xx are `possible`: the server speaks of the request, and does not say what happened before it failed.
 * Q2 408 and every 5xx are `unknown`, whatever else the response says: an unmarked server fault puts a write in doubt. (R13)
 * Q3 What the service says reaches the model in a bounded message, marked as the service's words.
 */
import type { EffectEvidence } from '../call/outcome.ts';
import { ToolError } from '../contract/tool-error.ts';
import type { ErrorClass, ErrorCode } from '../error/catalogue.ts';
import { cutText } from '../util/cut-text.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';

export interface FailedResponse {
  readonly status: number;
  readonly retryAfterMs?: number;
  /** The parsed body, or its text; without secrets. */
  readonly body: unknown;
  /** The service, where several tools are its. */
  readonly upstream?: string;
}

const maxWordsLength = 1_000;
const notBegun: ReadonlySet<number> = new Set([401, 405, 411, 413, 414, 415, 421, 425, 429, 431]);

export function responseFailure({ status, retryAfterMs, body, upstream }: FailedResponse, label: string): ToolError {
  const words = wordsOf(body);
  const kind = kindOf(status);
  return new ToolError({
    ...kind,
    effect: evidenceOf(status),
    ...(kind.code === 'authorization-required' ? { authorize: defined({ upstream }) } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    message: `${label} answered ${status}.${words === '' ? '' : ` The service says: ${words}`}`,
  });
}

function kindOf(status: number): { readonly code: ErrorCode; readonly class: ErrorClass } {
  if (status === 401 || status === 403) return { code: 'authorization-required', class: 'fatal' };
  if (status === 429) return { code: 'upstream-rate-limited', class: 'retryable' };
  if (status === 408 || status === 421 || status === 425 || status >= 500) {
    return { code: 'upstream-unavailable', class: 'retryable' };
  }
  return { code: 'tool-failed', class: 'recoverable' };
}

function evidenceOf(status: number): EffectEvidence {
  if (status === 408 || status >= 500) return 'unknown';
  return notBegun.has(status) ? 'none' : 'possible';
}

/** The words of the usual forms: RFC 9457, `message`, `error`, `errors`, `detail`; else the text, else the JSON. */
function wordsOf(body: unknown): string {
  const found = typeof body === 'string' ? body : [...partsOf(body, 0)].join('; ');
  const text = found === '' && body !== null && body !== undefined ? JSON.stringify(body) : found;
  return cutText(text.replaceAll(/\s+/g, ' ').trim(), maxWordsLength);
}

const wordKeys = [
  'title',
  'detail',
  'message',
  'error_description',
  'error',
  'errors',
  'reason',
  'details',
  'code',
  'field',
  'param',
];

function* partsOf(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string' || typeof value === 'number') yield String(value);
  else if (depth <= 4 && Array.isArray(value)) for (const item of value.slice(0, 10)) yield* partsOf(item, depth + 1);
  else if (depth <= 4 && isRecord(value)) {
    for (const key of wordKeys) {
      const part = value[key];
      if (part !== undefined && part !== null && part !== '') yield* partsOf(part, depth + 1);
    }
  }
}
