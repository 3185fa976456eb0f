/**
 * What went wrong with a request, as a `ToolError` that the effect law can act on.
 *
 * F1 Evidence `none` is said only of what failed before the first byte of a request was written: resolution, connection, TLS, the guard, a bad request.
 * F2 From the first byte on, no answer and an answer that breaks off are `unknown`.
 * F3 A response that was understood and is refused (too large, a redirect that is not followed) is `possible`: the server has acted or not, and said so in part.
 * F4 No error carries a query, a body, or what Node says beside its code and message: secrets and bodies stand there.
 */
import type { EffectEvidence } from '../call/outcome.ts';
import { ToolError } from '../contract/tool-error.ts';
import type { ErrorClass, ErrorCode } from '../error/catalogue.ts';
import { messageOf } from '../error/axle-error.ts';
import { isRecord } from '../util/json.ts';

/** What a failure is, before it is known whose request it was. */
export interface HttpFault {
  readonly code: ErrorCode;
  readonly class: ErrorClass;
  readonly effect: EffectEvidence;
  readonly what: string;
  readonly advice?: string;
  readonly cause?: unknown;
}

/** An error of this module, until the client gives it the name of the request. */
export class HttpFaultError extends Error {
  override readonly name = 'HttpFaultError';
  readonly fault: HttpFault;
  constructor(fault: HttpFault) {
    super(fault.what);
    this.fault = fault;
  }
}

/** The error for whoever made the request. `label` is the method and the URL without its query. */
export function toolErrorOf(fault: HttpFault, label: string, redact: (text: string) => string): ToolError {
  const { what, cause, ...reading } = fault;
  return new ToolError({
    ...reading,
    message: redact(`${label}: ${what}`),
    ...(cause === undefined ? {} : { cause: plainCause(cause, redact) }),
  });
}

/** Code and message only: Node's parser puts the received bytes on its errors. */
function plainCause(cause: unknown, redact: (text: string) => string): Error {
  const code = codeOf(cause);
  return new Error(redact(code === undefined ? messageOf(cause) : `${code}: ${messageOf(cause)}`));
}

/** A system error's code, for words like `ECONNREFUSED`. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = isRecord(error) ? error['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
}
