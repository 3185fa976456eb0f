/**
 * The small checks from which `entry-guard.ts` builds its table: each says whether a value is of one kind.
 *
 * A check of an object takes a check for each of the fields that its type has, and for each of its forms where it has several: what is missing, or is
 * checked as something else, does not compile.
 */
import type { BoundCall, CallTerms, Repair } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import type { ChangedKind, Drift, ShapeDifference } from '../call/drift.ts';
import { effects, risks } from '../call/effect.ts';
import { sandboxProperties } from '../call/isolation.ts';
import { lockModes, type LockTerms } from '../call/lock-terms.ts';
import type { ModelPart, Usage, WrittenInText } from '../call/message.ts';
import { type CacheTerms, cacheScopes } from '../call/cache-terms.ts';
import type { ChainLink } from '../call/chain.ts';
import {
  type AttemptResult,
  type AuthorizationPlace,
  effectEvidences,
  type Failure,
  type Outcome,
} from '../call/outcome.ts';
import type { ContractPin } from '../call/pin.ts';
import type { FilledArgument, Publication } from '../call/publication.ts';
import { problemChoices, type UndoStep, unableReasons } from '../call/undo.ts';
import { errorClasses } from '../error/catalogue.ts';
import { isDeeplyFrozen, isRecord, type JsonValue } from '../util/json.ts';
import type { AgentPin, CallResolved, RunLimits, RunTask, ToolViewLimits, Verdict } from './entry.ts';

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
  const known: ReadonlySet<unknown> = new Set(allowed);
  return (value): value is T => known.has(value);
}

export function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value) => Array.isArray(value) && value.every(check);
}

/** An object whose values are all of one kind. */
export function table<T>(check: Check<T>): Check<Readonly<Record<string, T>>> {
  return (value): value is Readonly<Record<string, T>> => isRecord(value) && Object.values(value).every(check);
}

/** The same, said once of a value that nobody can change any more: run after run pins the same agent and the same contracts. */
function once<T>(check: Check<T>): Check<T> {
  const passed = new WeakSet();
  return (value): value is T => {
    if (typeof value !== 'object' || value === null) return check(value);
    if (passed.has(value)) return true;
    if (!check(value)) return false;
    if (isDeeplyFrozen(value)) passed.add(value);
    return true;
  };
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
  return (value): value is T => {
    if (!isRecord(value)) return false;
    for (const { name, check } of named) if (!check(value[name])) return false;
    return true;
  };
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
  fallback: optional(list(object<ChainLink>({ tool: text, when: optional(list(text)) }))),
  maxInvalidCalls: optional(whole),
  cache: optional(object<CacheTerms>({ ttlMs: time, scope: oneOf(...cacheScopes) })),
  publishes: optional(list(object<Publication>({ key: text, at: text, version: whole }))),
  needs: optional(list(text)),
  fills: oneOf(undefined, true),
  unchanged: optional(list(text)),
  sandbox: optional(list(oneOf(...sandboxProperties))),
  authorization: oneOf(undefined, 'ask'),
  upstream: optional(text),
  locks: optional(
    list(
      object<LockTerms>({
        name: text,
        mode: oneOf(...lockModes),
        maxWaitMs: time,
        keptInDoubt: oneOf(undefined, true),
      }),
    ),
  ),
});

export const contractPin = object<ContractPin>({
  name: text,
  version: whole,
  hash: text,
  shape: text,
  terms: callTerms,
  hidden: oneOf(undefined, true),
});

const repair = object<Repair>({ rule: text, path: text, before: optional(json), after: optional(json) });

export const call = object<BoundCall>({
  callId: text,
  toolCallId: text,
  tool: text,
  input: json,
  argsHash: optional(text),
  repairs: optional(list(repair)),
  filled: optional(list(object<FilledArgument>({ path: text, from: text, by: text }))),
});

export const failure = object<Failure>({
  code: text,
  class: oneOf(...errorClasses),
  message: text,
  advice: optional(text),
  evidence: oneOf(...effectEvidences),
  retryAfterMs: optional(time),
  authorize: optional(object<AuthorizationPlace>({ upstream: optional(text), url: optional(text) })),
  details: optional(json),
});

const changedKinds = list(object<ChangedKind>({ path: text, declared: text, came: text }));
const difference = { missing: list(text), unexpected: list(text), changed: changedKinds };
export const shapeDifference = object<ShapeDifference>(difference);
const drift = object<Drift>({ ...difference, shape: text, raw: json, rawHash: text, rawLength: whole });

export const attemptResult = tagged<AttemptResult, 'status'>('status', {
  succeeded: { output: json },
  failed: { failure, drift: optional(drift) },
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
  call: {
    toolCallId: text,
    toolName: text,
    argumentsText: text,
    meta: optional(json),
    written: optional(object<WrittenInText>({ text, besideText: boolean })),
  },
});

export const usage = object<Usage>({
  inputTokens: optional(time),
  outputTokens: optional(time),
  cachedInputTokens: optional(time),
  reasoningTokens: optional(time),
});

const agentPin = once(
  object<AgentPin>({
    name: text,
    hash: text,
    instructions: text,
    model: text,
    limits: object<RunLimits>({ steps: whole, workMs: time }),
    onDoubt: oneOf('ask', 'tell'),
    onAnswer: oneOf('finish', 'wait'),
    approvalTtlMs: time,
    settings: json,
    modelName: optional(text),
    toolView: optional(object<ToolViewLimits>({ most: whole, always: list(text) })),
  }),
);

const contractPins = once(list(contractPin));

const undoStep = tagged<UndoStep, 'kind'>('kind', {
  undo: { callId: text, tool: text, input: json, output: json },
  unable: { callId: text, tool: text, reason: oneOf(...unableReasons) },
});

export const runTask = tagged<RunTask, 'kind'>('kind', {
  agent: { input: text, agent: agentPin, contracts: contractPins },
  call: { tool: text, input: json, contracts: contractPins, approvalTtlMs: time },
  undo: {
    of: text,
    only: optional(list(text)),
    steps: list(undoStep),
    onProblem: oneOf(...problemChoices),
    contracts: contractPins,
    approvalTtlMs: time,
  },
});
