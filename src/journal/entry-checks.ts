/**
 * The small checks from which `entry-guard.ts` builds its table: each says whether a value is of one kind.
 *
 * A check of an object takes a check for each of the fields that its type has, and for each of its forms where it has several: what is missing, or is
 * checked as something else, does not compile.
 */
import type { BoundCall, CallTerms, Repair } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import { effects, risks } from '../call/effect.ts';
import type { ModelPart, Usage } from '../call/message.ts';
import { effectEvidences, type AttemptResult, type Failure, type Outcome } from '../call/outcome.ts';
import type { ContractPin } from '../call/pin.ts';
import { errorClasses } from '../error/catalogue.ts';
import { isRecord, type JsonValue } from '../util/json.ts';
import type { AgentPin, CallResolved, RunLimits, RunTask, Verdict } from './entry.ts';

/** True when a value is of the kind that the check is named after. */
export type Check<T> = (value: unknown) => value is T;

/** A check for each field of a type. */
export type FieldChecks<T> = { readonly [Field in keyof T]-?: Check<T[Field]> };

export const text: Check<string> = (value) => typeof value === 'string';
export const boolean: Check<boolean> = (value) => typeof value === 'boolean';
/** A count, an ordinal or a version. */
export const whole: Check<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** Milliseconds: since 1970, or a duration. */
export const time: Check<number> = (value): value is number => Number.isFinite(value);
/** JSON data of any kind: that it is JSON is the promise of `JSON.stringify` and `JSON.parse`. */
export const json: Check<JsonValue> = (value): value is JsonValue => value !== undefined;

/** Absent, or as `check` says. */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value) => value === undefined || check(value);
}

/** One of a few constants. */
export function oneOf<const T>(...allowed: readonly T[]): Check<T> {
  return (value): value is T => allowed.some((one) => one === value);
}

export function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value) => Array.isArray(value) && value.every(check);
}

/** A field's name and its check. */
export interface NamedCheck {
  readonly name: string;
  readonly check: Check<unknown>;
}

type Checks = Readonly<Record<string, Check<unknown>>>;

/** A table of fields as a list: walking it costs less than walking an object, and nothing is taken apart on the way. */
export function namedChecks(fields: Checks): readonly NamedCheck[] {
  return Object.entries(fields).map(([name, check]) => ({ name, check }));
}

/** An object with these fields. Others are not looked at. */
export function object<T>(fields: FieldChecks<T> & Checks): Check<T> {
  const named = namedChecks(fields);
  return (value): value is T => isRecord(value) && named.every((field) => field.check(value[field.name]));
}

/** The fields of each of the forms of `T`, by the value of `Tag`. */
type FormChecks<T extends Readonly<Record<Tag, string>>, Tag extends string> = {
  readonly [Name in T[Tag]]: FieldChecks<Omit<Extract<T, Readonly<Record<Tag, Name>>>, Tag>> & Checks;
};

/** An object whose field `tag` names which of several forms it has. */
export function tagged<T extends Readonly<Record<Tag, string>>, Tag extends string>(
  tag: Tag,
  forms: FormChecks<T, Tag>,
): Check<T> {
  const checks = new Map(Object.entries<Checks>(forms).map(([name, fields]) => [name, object(fields)]));
  return (value): value is T => {
    if (!isRecord(value)) return false;
    const form = value[tag];
    return typeof form === 'string' && checks.get(form)?.(value) === true;
  };
}

const callTerms = object<CallTerms>({
  effect: oneOf(...effects),
  risk: oneOf(...risks),
  irreversible: boolean,
  maxAttempts: whole,
  timeoutMs: time,
  backoffBaseMs: time,
  backoffCapMs: time,
  canVerify: boolean,
  settleMs: time,
  parallel: boolean,
});

export const contractPin = object<ContractPin>({
  name: text,
  version: whole,
  hash: text,
  shape: text,
  terms: callTerms,
});

const repair = object<Repair>({ rule: text, path: text, before: optional(json), after: optional(json) });

export const call = object<BoundCall>({
  callId: text,
  toolCallId: text,
  tool: text,
  input: json,
  argsHash: optional(text),
  repairs: optional(list(repair)),
});

export const failure = object<Failure>({
  code: text,
  class: oneOf(...errorClasses),
  message: text,
  advice: optional(text),
  evidence: oneOf(...effectEvidences),
  retryAfterMs: optional(time),
  details: optional(json),
});

export const attemptResult = tagged<AttemptResult, 'status'>('status', {
  succeeded: { output: json },
  failed: { failure },
});

export const outcome = tagged<Outcome, 'status'>('status', {
  succeeded: { output: json },
  failed: { failure, effectMayHaveHappened: boolean },
  denied: { reason: text, code: oneOf('call-denied', 'approval-expired') },
  cancelled: { reason: text },
  'in-doubt': { reason: text },
});

export const decision = tagged<Decision, 'kind'>('kind', {
  allow: { rule: text },
  deny: { rule: text, reason: text },
  ask: { rule: text, reason: text, expiresAfterMs: time },
});

const happened = { output: json };
const notHappened = { then: oneOf('retry', 'fail') };
export const verdict = tagged<Verdict, 'kind'>('kind', { happened, 'not-happened': notHappened, unknown: {} });
export const resolution = tagged<CallResolved['verdict'], 'kind'>('kind', {
  happened,
  'not-happened': notHappened,
  told: {},
});

export const modelPart = tagged<ModelPart, 'kind'>('kind', {
  text: { text, meta: optional(json) },
  reasoning: { text, meta: optional(json) },
  call: { toolCallId: text, toolName: text, argumentsText: text, meta: optional(json) },
});

export const usage = object<Usage>({
  inputTokens: optional(time),
  outputTokens: optional(time),
  cachedInputTokens: optional(time),
  reasoningTokens: optional(time),
});

const agentPin = object<AgentPin>({
  name: text,
  hash: text,
  instructions: text,
  model: text,
  limits: object<RunLimits>({ steps: whole, workMs: time }),
  onDoubt: oneOf('ask', 'tell'),
  onAnswer: oneOf('finish', 'wait'),
  approvalTtlMs: time,
  settings: json,
});

export const runTask = tagged<RunTask, 'kind'>('kind', {
  agent: { input: text, agent: agentPin, contracts: list(contractPin) },
  call: { tool: text, input: json, contracts: list(contractPin), approvalTtlMs: time },
});
