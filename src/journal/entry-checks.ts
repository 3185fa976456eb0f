/** The small checks from which `entry-guard.ts` builds its table: each says whether a value is of one kind. */
import type { BoundCall, CallTerms, Repair } from '../call/call.ts';
import { effects, risks } from '../call/effect.ts';
import type { Usage } from '../call/message.ts';
import type { AttemptResult, Failure } from '../call/outcome.ts';
import type { ContractPin } from '../call/pin.ts';
import { isRecord } from '../util/json.ts';
import type { AgentPin, RunLimits } from './entry.ts';

/** True when a value is of the kind that the check is named after. */
export type Check = (value: unknown) => boolean;

export const text: Check = (value) => typeof value === 'string';
export const boolean: Check = (value) => typeof value === 'boolean';
/** A count, an ordinal or a version. */
export const whole: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** Milliseconds: since 1970, or a duration. */
export const time: Check = (value) => Number.isFinite(value);
/** JSON data of any kind: that it is JSON is the promise of `JSON.stringify` and `JSON.parse`. */
export const json: Check = (value) => value !== undefined;

/** Absent, or as `check` says. */
export function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

/** One of a few texts or constants. */
export function oneOf(...allowed: readonly unknown[]): Check {
  return (value) => allowed.includes(value);
}

export function list(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

/** A field's name and its check. */
export interface NamedCheck {
  readonly name: string;
  readonly check: Check;
}

/** A table of fields as a list: walking it costs less than walking an object, and nothing is taken apart on the way. */
export function namedChecks(fields: Readonly<Record<string, Check>>): readonly NamedCheck[] {
  return Object.entries(fields).map(([name, check]) => ({ name, check }));
}

/** An object with these fields. */
export function object(fields: Readonly<Record<string, Check>>): Check {
  const named = namedChecks(fields);
  return (value) => isRecord(value) && named.every((field) => field.check(value[field.name]));
}

/** A check for each field of a type, so that the compiler lets none go unchecked. */
type FieldsOf<T> = { readonly [Field in keyof T]-?: Check };

/** An object whose field `tag` names which of several forms it has. */
export function tagged(tag: string, forms: Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (!isRecord(value)) return false;
    const form = value[tag];
    return typeof form === 'string' && Object.hasOwn(forms, form) && forms[form]?.(value) === true;
  };
}

const effect = oneOf(...effects);
const risk = oneOf(...risks);

const callTerms = object({
  effect,
  risk,
  irreversible: boolean,
  maxAttempts: whole,
  timeoutMs: time,
  backoffBaseMs: time,
  backoffCapMs: time,
  canVerify: boolean,
  settleMs: time,
  parallel: boolean,
} satisfies FieldsOf<CallTerms>);

export const contractPin = object({
  name: text,
  version: whole,
  hash: text,
  shape: text,
  terms: callTerms,
} satisfies FieldsOf<ContractPin>);

const repair = object({
  rule: text,
  path: text,
  before: optional(json),
  after: optional(json),
} satisfies FieldsOf<Repair>);

export const call = object({
  callId: text,
  toolCallId: text,
  tool: text,
  input: json,
  argsHash: optional(text),
  repairs: optional(list(repair)),
} satisfies FieldsOf<BoundCall>);

export const failure = object({
  code: text,
  class: oneOf('retryable', 'recoverable', 'fatal'),
  message: text,
  advice: optional(text),
  evidence: oneOf('none', 'possible', 'unknown'),
  retryAfterMs: optional(time),
  details: optional(json),
} satisfies FieldsOf<Failure>);

export const attemptResult = tagged('status', { succeeded: object({ output: json }), failed: object({ failure }) });

/** True for what an attempt ends with. */
export function isAttemptResult(value: unknown): value is AttemptResult {
  return attemptResult(value);
}

export const outcome = tagged('status', {
  succeeded: object({ output: json }),
  failed: object({ failure, effectMayHaveHappened: boolean }),
  denied: object({ reason: text, code: oneOf('call-denied', 'approval-expired') }),
  cancelled: object({ reason: text }),
  'in-doubt': object({ reason: text }),
});

export const decision = tagged('kind', {
  allow: object({ rule: text }),
  deny: object({ rule: text, reason: text }),
  ask: object({ rule: text, reason: text, expiresAfterMs: time }),
});

const happened = object({ output: json });
const notHappened = object({ then: oneOf('retry', 'fail') });
const nothingMore: Check = () => true;
export const verdict = tagged('kind', { happened, 'not-happened': notHappened, unknown: nothingMore });
export const resolution = tagged('kind', { happened, 'not-happened': notHappened, told: nothingMore });

export const modelPart = tagged('kind', {
  text: object({ text }),
  reasoning: object({ text }),
  call: object({ toolCallId: text, toolName: text, argumentsText: text }),
});

export const usage = object({
  inputTokens: optional(time),
  outputTokens: optional(time),
  cachedInputTokens: optional(time),
  reasoningTokens: optional(time),
} satisfies FieldsOf<Usage>);

const agentPin = object({
  name: text,
  hash: text,
  instructions: text,
  model: text,
  limits: object({ steps: whole, workMs: time } satisfies FieldsOf<RunLimits>),
  onDoubt: oneOf('ask', 'tell'),
  onAnswer: oneOf('finish', 'wait'),
  approvalTtlMs: time,
  settings: json,
} satisfies FieldsOf<AgentPin>);

export const runTask = tagged('kind', {
  agent: object({ input: text, agent: agentPin, contracts: list(contractPin) }),
  call: object({ tool: text, input: json, contracts: list(contractPin), approvalTtlMs: time }),
});
