/**
 * From what a tool threw to a `Failure`: its class (may it be tried again?) and its evidence (may it have had its effect?).
 *
 * F1 Evidence `none` is a promise that only the tool's author can give (`ToolError({ effect: 'none' })`): a refused connection proves that this request was not
 *    sent, and nothing of what the tool did before it. (R13)
 * F2 A lost connection, a time-out and a 5xx that the tool let through leave the effect `unknown`. Any other throw leaves it `possible`.
 */
import type { AuthorizationPlace, Failure } from '../call/outcome.ts';
import { isToolError, type ToolError } from '../contract/tool-error.ts';
import { isAxleError, messageOf } from '../error/axle-error.ts';
import { cutText } from '../util/cut-text.ts';
import { isRecord } from '../util/json.ts';
import { retryAfterMs } from '../util/retry-after.ts';

const maxMessageLength = 2_000;
const maxUpstreamLength = 256;
const maxUrlLength = 2_000;
/** Causes are followed this far: deep enough for `fetch failed` around a system error, and bounded against cycles. */
const maxCauses = 5;

type Kind = Pick<Failure, 'code' | 'class' | 'evidence'>;

const unreached: Kind = { code: 'upstream-unavailable', class: 'retryable', evidence: 'possible' };
const lost: Kind = { code: 'upstream-unavailable', class: 'retryable', evidence: 'unknown' };

/** System error codes of Node and undici that say how far the last request came. */
const systemErrors: ReadonlyMap<unknown, Kind> = new Map([
  ['ECONNREFUSED', unreached],
  ['ENOTFOUND', unreached],
  ['EAI_AGAIN', unreached],
  ['EHOSTUNREACH', unreached],
  ['ENETUNREACH', unreached],
  ['UND_ERR_CONNECT_TIMEOUT', unreached],
  ['ECONNRESET', lost],
  ['EPIPE', lost],
  ['ETIMEDOUT', lost],
  ['ECONNABORTED', lost],
  ['UND_ERR_SOCKET', lost],
  ['UND_ERR_HEADERS_TIMEOUT', lost],
  ['UND_ERR_BODY_TIMEOUT', lost],
]);

/** Names of errors by which a tool's own time limit or abort shows. */
const timeOuts: ReadonlySet<unknown> = new Set(['TimeoutError', 'AbortError']);

/**
 * Turns anything that was thrown into a failure. Never throws, whatever it is handed.
 * @param nowMs What a date in `Retry-After` is measured against when its response has no `Date`.
 * @param conceal Takes real values out of a text, before it is cut.
 */
export function classify(thrown: unknown, nowMs?: number, conceal: (text: string) => string = (text) => text): Failure {
  try {
    return classified(thrown, nowMs, conceal);
  } catch (error) {
    // A getter or a proxy of the thrown object threw in turn.
    return { ...plain, message: `The tool threw something that cannot be read: ${messageOf(error)}` };
  }
}

const plain: Kind = { code: 'tool-failed', class: 'recoverable', evidence: 'possible' };

type Conceal = (text: string) => string;

function classified(thrown: unknown, nowMs: number | undefined, conceal: Conceal): Failure {
  const withMessage = (kind: Kind): Failure => ({
    ...kind,
    message: cutText(conceal(wordsOf(thrown)), maxMessageLength),
  });
  if (isToolError(thrown)) return fromToolError(thrown, conceal);
  if (isAxleError(thrown)) {
    const evidence = thrown.effectMayHaveHappened ? 'unknown' : 'possible';
    return withMessage({ code: thrown.code, class: thrown.class, evidence });
  }
  let cause: unknown = thrown;
  for (let depth = 0; depth < maxCauses && isRecord(cause); depth += 1) {
    const kind = systemErrors.get(cause['code']) ?? (timeOuts.has(cause['name']) ? lost : fromStatus(cause));
    if (kind !== undefined) return { ...withMessage(kind), ...retryAfterOf(cause, nowMs) };
    cause = cause['cause'];
  }
  return withMessage(plain);
}

function wordsOf(thrown: unknown): string {
  const cause = isRecord(thrown) ? thrown['cause'] : undefined;
  const innermost = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  return `${messageOf(thrown)}${innermost}`;
}

const classes: ReadonlySet<unknown> = new Set(['retryable', 'recoverable', 'fatal']);
const evidences: ReadonlySet<unknown> = new Set(['none', 'possible', 'unknown']);

function fromToolError(error: ToolError, conceal: Conceal): Failure {
  return {
    code: typeof error.code === 'string' ? error.code : 'tool-failed',
    // Programs without types misspell: then it is what a plain throw is.
    class: classes.has(error.class) ? error.class : 'recoverable',
    evidence: evidences.has(error.effect) ? error.effect : 'possible',
    message: cutText(conceal(error.message), maxMessageLength),
    ...(typeof error.advice === 'string' ? { advice: error.advice } : {}),
    ...retryAfterOf(error),
    ...(error.authorize === undefined ? {} : { authorize: placeOf(error.authorize) }),
  };
}

/** What a person is shown of it, and may click on: a name, and an address of the web. */
function placeOf({ upstream, url }: { readonly [Field in keyof AuthorizationPlace]: unknown }): AuthorizationPlace {
  return {
    ...(typeof upstream === 'string' && upstream !== '' ? { upstream: cutText(upstream, maxUpstreamLength) } : {}),
    ...(isWebAddress(url) ? { url } : {}),
  };
}

function isWebAddress(url: unknown): url is string {
  return typeof url === 'string' && url.length <= maxUrlLength && /^https?:\/\//iu.test(url) && URL.canParse(url);
}

function fromStatus(error: Readonly<Record<string, unknown>>): Kind | undefined {
  const response = isRecord(error['response']) ? error['response'] : {};
  const status = [error['status'], error['statusCode'], response['status']].find((value) => typeof value === 'number');
  if (typeof status !== 'number' || status < 400 || status > 599) return undefined;
  if (status === 401 || status === 403) return { code: 'authorization-required', class: 'fatal', evidence: 'possible' };
  if (status === 429) return { code: 'upstream-rate-limited', class: 'retryable', evidence: 'possible' };
  if (status === 408 || status >= 500) return lost;
  return plain;
}

/** What is no time to wait for is not waited for. Where the error says nothing itself, the headers of the response that it carries do. */
function retryAfterOf(
  error: Readonly<Record<string, unknown>> | ToolError,
  nowMs?: number,
): { readonly retryAfterMs?: number } {
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined && !isToolError(error)) {
    const asked = askedBy(error, nowMs);
    return asked === undefined ? {} : { retryAfterMs: asked };
  }
  return typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs) && retryAfterMs >= 0 ? { retryAfterMs } : {};
}

/** The headers as errors of `fetch` wrappers, axios and the AI SDK carry them. */
function askedBy(error: Readonly<Record<string, unknown>>, nowMs: number | undefined): number | undefined {
  const response = isRecord(error['response']) ? error['response'] : {};
  for (const headers of [response['headers'], error['headers'], error['responseHeaders']]) {
    if (!isRecord(headers)) continue;
    const asked = retryAfterMs({ get: (name) => headerOf(headers, name) }, nowMs);
    if (asked !== undefined) return asked;
  }
  return undefined;
}

function headerOf(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const { get } = headers;
  const key = Object.keys(headers).find((each) => each.toLowerCase() === name);
  const value: unknown =
    typeof get === 'function' ? get.call(headers, name) : key === undefined ? undefined : headers[key];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}
