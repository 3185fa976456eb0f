/**
 * Turns what went wrong with a request into a `ToolError` that the effect law can act on.
 *
 * F1 `effect: 'none'` is said only when the request cannot have reached the server whole, or the server says that it did not look at it: it does not know the
 *    session (404), or the caller (401).
 * F2 No answer, or none that can be read, is `unknown`. An answer that reports an error is `possible`: the server speaks of
 *    the request, and does not say what happened before it failed.
 */
import type { AuthorizationPlace, EffectEvidence } from '../call/outcome.ts';
import { isToolError, ToolError } from '../contract/tool-error.ts';
import { messageOf } from '../error/axle-error.ts';
import type { ErrorClass } from '../error/catalogue.ts';
import { cutText } from '../util/cut-text.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';
import type { ServerEnd } from './stdio/server-process.ts';
import { type HttpRefusal, type RequestFacts, wireCodes } from './wire.ts';

export interface FaultContext {
  /** The server's name and the tool's, for the message. */
  readonly server: string;
  readonly tool: string;
  readonly facts: RequestFacts;
  /** How the server's process ended, when it has. */
  readonly end: ServerEnd | undefined;
  readonly aborted: boolean;
  /** Takes out what must not be shown. */
  readonly redact: (text: string) => string;
}

interface Reading {
  readonly code: string;
  readonly class: ErrorClass;
  readonly effect: EffectEvidence;
  readonly what: string;
  readonly retryAfterMs?: number;
  readonly advice?: string;
  readonly authorize?: AuthorizationPlace;
}

/** The most of a server's own words that a message carries. */
const maxServerWords = 1_000;
const maxReasons = 4;
const maxWordsChars = 2_000;

/** The error of one `tools/call`, for whoever decides about the next attempt. */
export function toToolError(error: unknown, context: FaultContext): ToolError {
  const { what, ...reading } = read(error, context);
  return new ToolError({
    ...reading,
    message: context.redact(`MCP server '${context.server}', tool '${context.tool}': ${what}`),
    cause: error,
  });
}

function read(error: unknown, { server, facts, end, aborted }: FaultContext): Reading {
  const code: unknown = isRecord(error) ? error['code'] : undefined;
  const effect = facts.evidence;
  if (aborted) return { code: 'aborted', class: 'retryable', effect, what: 'the call was aborted.' };
  if (code === 'REQUEST_TIMEOUT') {
    return { code: 'tool-timed-out', class: 'retryable', effect, what: 'no answer within the time limit.' };
  }
  if (facts.isOversized === true) return fromServer(wireCodes.oversized, 'the answer is longer than the limit.');
  if (typeof code === 'number') return fromServer(code, wordsOf(error));
  if (code === 'UNSUPPORTED_RESULT_TYPE') {
    return {
      code: 'mcp-input-required',
      class: 'recoverable',
      effect: 'possible',
      what: 'the server asks for input of the user before it goes on, which Axle does not give to servers.',
    };
  }
  // The guarded client knows what it refused to send, and why.
  if (effect === 'none' && isToolError(error)) {
    return {
      code: error.code,
      class: error.class,
      effect,
      what: error.message,
      ...defined({ retryAfterMs: error.retryAfterMs, authorize: error.authorize }),
    };
  }
  if (facts.refusal !== undefined) return fromStatus(facts.refusal, wordsOf(error), server);
  if (end !== undefined || code === 'CONNECTION_CLOSED') {
    return { code: 'mcp-unavailable', class: 'retryable', effect, what: describeEnd(end) };
  }
  if (effect === 'none') {
    return { code: 'mcp-unavailable', class: 'retryable', effect, what: `the request was not sent: ${wordsOf(error)}` };
  }
  // The SDK's own words for what it cannot read; the rest comes from the network.
  if (code === 'INVALID_RESULT' || code === 'CLIENT_HTTP_UNEXPECTED_CONTENT') {
    return {
      code: 'mcp-protocol-error',
      class: 'recoverable',
      effect: 'unknown',
      what: `an answer that cannot be read: ${wordsOf(error)}`,
    };
  }
  return { code: 'mcp-unavailable', class: 'retryable', effect: 'unknown', what: `no answer came: ${wordsOf(error)}` };
}

/** An error as the protocol has it, or one of the wire in the server's place. */
function fromServer(code: number, words: string): Reading {
  switch (code) {
    case wireCodes.oversized:
      return { code: 'limit-exceeded', class: 'recoverable', effect: 'possible', what: words, advice: 'Ask for less.' };
    case wireCodes.cutOff:
      return { code: 'mcp-unavailable', class: 'retryable', effect: 'unknown', what: words };
    default:
      return { code: 'mcp-protocol-error', class: 'recoverable', effect: 'possible', what: `error ${code}: ${words}` };
  }
}

function fromStatus({ status, sessionExpired, retryAfterMs }: HttpRefusal, words: string, server: string): Reading {
  const wait = defined({ retryAfterMs });
  const what = `the server answered ${status}: ${words}`;
  if (sessionExpired) {
    // Nothing has happened, and the next attempt begins a session of its own.
    return {
      code: 'mcp-unavailable',
      class: 'retryable',
      effect: 'none',
      retryAfterMs: 0,
      what: 'its session has expired.',
    };
  }
  if (status === 401 || status === 403) {
    const effect = status === 401 ? 'none' : 'possible';
    return { code: 'authorization-required', class: 'fatal', effect, what, authorize: { upstream: server } };
  }
  if (status === 429) return { code: 'upstream-rate-limited', class: 'retryable', effect: 'possible', what, ...wait };
  if (status === 408 || status >= 500) {
    return { code: 'upstream-unavailable', class: 'retryable', effect: 'unknown', what, ...wait };
  }
  return { code: 'mcp-protocol-error', class: 'recoverable', effect: 'possible', what };
}

function wordsOf(error: unknown): string {
  const cause: unknown = isRecord(error) ? error['cause'] : undefined;
  const inner = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  return cutText(`${messageOf(error)}${inner}`, maxServerWords);
}

/** The status that an HTTP server refused with. */
export function statusOf(error: unknown): unknown {
  const data = isRecord(error) ? error['data'] : undefined;
  return isRecord(data) ? data['status'] : undefined;
}

/** What went wrong, with the innermost reason, which the SDK's own words often leave out. */
export function describeFailure(error: unknown): string {
  const reasons = [messageOf(error)];
  for (let cause = error; isRecord(cause) && reasons.length < maxReasons; cause = cause['cause']) {
    const inner = isRecord(cause['cause']) ? messageOf(cause['cause']) : '';
    if (inner !== '' && !reasons.some((reason) => reason.includes(inner))) reasons.push(inner);
  }
  return cutText(reasons.join(': '), maxWordsChars);
}

/** How a server ended, in words. */
export function describeEnd(end: ServerEnd | undefined): string {
  if (end === undefined) return 'the server is gone.';
  const how = end.signal === null ? `exit code ${end.code ?? 'unknown'}` : `signal ${end.signal}`;
  return `the server ended (${how}).${lastWordsText(end)}`;
}

/** What a server said last on its standard error, as a sentence to append; empty where it said nothing. */
export function lastWordsText(end: ServerEnd | undefined): string {
  const lastWords = (end?.stderr ?? '').trim().split('\n').slice(-5).join('\n');
  return lastWords === '' ? '' : ` Its last words on standard error:\n${lastWords}`;
}
