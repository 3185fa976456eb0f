/**
 * From what a tool threw to a `Failure`: its class (may it be tried again?) and its evidence (may it have had its effect?).
 *
 * F1 Only proof gives evidence `none`: a refused connection, a name that does not resolve, a refusal by the upstream before it did anything (4xx, 429, 503 with
 *    Retry-After), or the tool's own word (`ToolError({ effect: 'none' })`). (R13)
 * F2 A lost connection, a time-out and an unmarked 5xx give `unknown`. A plain throw gives `possible`.
 */
import type { EffectEvidence, Failure } from '../call/outcome.ts';
import type { ErrorClass } from '../error/catalogue.ts';
import { isAxleError, messageOf } from '../error/axle-error.ts';
import { isRecord } from '../util/json.ts';

const maxMessageLength = 2_000;
/** Causes are followed this far: deep enough for `fetch failed` around a system error, and bounded against cycles. */
const maxCauses = 5;

type Kind = Pick<Failure, 'code' | 'class' | 'evidence'>;

const unreached: Kind = { code: 'upstream-unavailable', class: 'retryable', evidence: 'none' };
const lost: Kind = { code: 'upstream-unavailable', class: 'retryable', evidence: 'unknown' };

/** System error codes of Node and undici that say how far a request came. */
const systemErrors: Readonly<Record<string, Kind>> = {
  ECONNREFUSED: unreached,
  ENOTFOUND: unreached,
  EAI_AGAIN: unreached,
  EHOSTUNREACH: unreached,
  ENETUNREACH: unreached,
  UND_ERR_CONNECT_TIMEOUT: unreached,
  ECONNRESET: lost,
  EPIPE: lost,
  ETIMEDOUT: lost,
  ECONNABORTED: lost,
  UND_ERR_SOCKET: lost,
  UND_ERR_HEADERS_TIMEOUT: lost,
  UND_ERR_BODY_TIMEOUT: lost,
};

/** Turns anything that was thrown into a failure. */
export function classify(thrown: unknown): Failure {
  if (isToolError(thrown)) return fromToolError(thrown);
  if (isAxleError(thrown)) {
    return withMessage(
      { code: thrown.code, class: thrown.class, evidence: thrown.effectMayHaveHappened ? 'unknown' : 'possible' },
      thrown,
    );
  }
  let cause: unknown = thrown;
  for (let depth = 0; depth < maxCauses && isRecord(cause); depth += 1) {
    const kind = fromSystemCode(cause) ?? fromStatus(cause);
    if (kind !== undefined) return { ...withMessage(kind, thrown), ...retryAfterOf(cause) };
    cause = cause['cause'];
  }
  return withMessage({ code: 'tool-failed', class: 'recoverable', evidence: 'possible' }, thrown);
}

function withMessage(kind: Kind, thrown: unknown): Failure {
  const innermost =
    isRecord(thrown) && thrown['cause'] instanceof Error && thrown['cause'].message !== ''
      ? ` (${thrown['cause'].message})`
      : '';
  return { ...kind, message: `${messageOf(thrown)}${innermost}`.slice(0, maxMessageLength) };
}

/** What a tool's author says about a failure; recognised by its brand, since there may be two copies of the package. */
interface ToolErrorLike extends Error {
  readonly code: string;
  readonly class: ErrorClass;
  readonly effect: EffectEvidence;
  readonly retryAfterMs?: number;
  readonly advice?: string;
}

function isToolError(value: unknown): value is ToolErrorLike {
  return (
    value instanceof Error && value.name === 'ToolError' && 'effect' in value && 'class' in value && 'code' in value
  );
}

function fromToolError(error: ToolErrorLike): Failure {
  return {
    code: error.code,
    class: error.class,
    evidence: error.effect,
    message: error.message.slice(0, maxMessageLength),
    ...(error.advice === undefined ? {} : { advice: error.advice }),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  };
}

function fromSystemCode(error: Readonly<Record<string, unknown>>): Kind | undefined {
  const { code } = error;
  return typeof code === 'string' ? systemErrors[code] : undefined;
}

function fromStatus(error: Readonly<Record<string, unknown>>): Kind | undefined {
  const response = isRecord(error['response']) ? error['response'] : {};
  const status = [error['status'], error['statusCode'], response['status']].find((value) => typeof value === 'number');
  if (typeof status !== 'number' || status < 400 || status > 599) return undefined;
  if (status === 401 || status === 403) return { code: 'authorization-required', class: 'fatal', evidence: 'none' };
  if (status === 429) return { code: 'upstream-rate-limited', class: 'retryable', evidence: 'none' };
  if (status === 408) return lost;
  if (status < 500) return { code: 'tool-failed', class: 'recoverable', evidence: 'none' };
  return status === 503 && retryAfterOf(error).retryAfterMs !== undefined ? unreached : lost;
}

function retryAfterOf(error: Readonly<Record<string, unknown>>): { readonly retryAfterMs?: number } {
  const value = error['retryAfterMs'];
  return typeof value === 'number' && value >= 0 ? { retryAfterMs: value } : {};
}
