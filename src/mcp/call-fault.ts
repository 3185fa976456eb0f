/**
 * Turns what went wrong with a request into a `ToolError` that the effect law can act on.
 *
 * F1 `effect: 'none'` is said only when the request cannot have reached the server whole.
 * F2 No answer, or none that can be read, is `unknown`. An answer that reports an error is `possible`: the server speaks of
 *    the request, and does not say what happened before it failed.
 */
import type { EffectEvidence } from '../call/outcome.ts';
import { ToolError } from '../contract/tool-error.ts';
import { messageOf } from '../error/axle-error.ts';
import type { ErrorClass } from '../error/catalogue.ts';
import { isRecord } from '../util/json.ts';
import type { ServerEnd } from './server-process.ts';
import { oversizedCode, type WireEvidence } from './stdio-transport.ts';

export interface FaultContext {
  /** The server's name and the tool's, for the message. */
  readonly server: string;
  readonly tool: string;
  readonly wire: WireEvidence;
  /** How the server ended, when it has. */
  readonly end: ServerEnd | undefined;
  readonly aborted: boolean;
}

interface Reading {
  readonly code: string;
  readonly class: ErrorClass;
  readonly effect: EffectEvidence;
  readonly what: string;
}

/** The error of one `tools/call`, for whoever decides about the next attempt. */
export function toToolError(error: unknown, context: FaultContext): ToolError {
  const { what, ...reading } = read(error, context);
  return new ToolError({
    ...reading,
    message: `MCP server '${context.server}', tool '${context.tool}': ${what}`,
    cause: error,
  });
}

function read(error: unknown, { wire, end, aborted }: FaultContext): Reading {
  const code: unknown = isRecord(error) ? error['code'] : undefined;
  if (aborted) return { code: 'aborted', class: 'retryable', effect: wire, what: 'the call was aborted.' };
  if (code === 'REQUEST_TIMEOUT') {
    return { code: 'tool-timed-out', class: 'retryable', effect: wire, what: 'no answer within the time limit.' };
  }
  if (code === oversizedCode) {
    return { code: 'limit-exceeded', class: 'recoverable', effect: 'possible', what: messageOf(error) };
  }
  if (typeof code === 'number') {
    return {
      code: 'mcp-protocol-error',
      class: 'recoverable',
      effect: 'possible',
      what: `error ${code}: ${messageOf(error)}`,
    };
  }
  if (end !== undefined || code === 'CONNECTION_CLOSED') {
    return { code: 'mcp-unavailable', class: 'retryable', effect: wire, what: describeEnd(end) };
  }
  if (wire === 'none') {
    return {
      code: 'mcp-unavailable',
      class: 'retryable',
      effect: 'none',
      what: `the request was not sent: ${messageOf(error)}`,
    };
  }
  return {
    code: 'mcp-protocol-error',
    class: 'recoverable',
    effect: 'unknown',
    what: `an answer that cannot be read: ${messageOf(error)}`,
  };
}

/** How a server ended, in words. */
export function describeEnd(end: ServerEnd | undefined): string {
  if (end === undefined) return 'the server is gone.';
  const how = end.signal === null ? `exit code ${end.code ?? 'unknown'}` : `signal ${end.signal}`;
  const lastWords = end.stderr.trim().split('\n').slice(-5).join('\n');
  return `the server ended (${how}).${lastWords === '' ? '' : ` Its last words on standard error:\n${lastWords}`}`;
}
