/**
 * Whether a value is an entry: its type is known, each field that the type has is of the right kind, and there is no other field. Within a field what is
 * needed is looked at, and what is there besides is passed over.
 * Applied before writing, so that no fault of ours enters the journal, and after reading, so that nothing foreign leaves it.
 *
 * G1 The compiler holds the table to `entry.ts`, in depth: a field or a form without a check, or with that of another kind, does not compile.
 */
import { finishReasons } from '../call/message.ts';
import { AxleError } from '../error/axle-error.ts';
import { isRecord } from '../util/json.ts';
import {
  attemptResult,
  boolean,
  call,
  contractPin,
  decision,
  failure,
  json,
  list,
  modelPart,
  namedChecks,
  object,
  oneOf,
  optional,
  outcome,
  resolution,
  table,
  runTask,
  text,
  time,
  usage,
  verdict,
  whole,
  type FieldChecks,
  type NamedCheck,
} from './entry-checks.ts';
import { durabilities, runEndings, type Entry, type EntryType, type SkippedLink } from './entry.ts';
import { isEntryType } from './entry-types.ts';
import { runFork } from './fork-checks.ts';
import { breakerKinds } from './upstream-entries.ts';

type EntryChecks = { readonly [T in EntryType]: FieldChecks<Omit<Extract<Entry, { type: T }>, 'type'>> };

const checks: EntryChecks = {
  'run-accepted': {
    runId: text,
    task: runTask,
    durability: oneOf(...durabilities),
    key: optional(text),
    session: optional(text),
    context: optional(table(object({ value: json, version: whole }))),
    traceId: text,
    fork: optional(runFork),
  },
  'run-claimed': { worker: text },
  'run-held': { reason: text, remedy: text, tool: optional(text), details: optional(json) },
  'run-released': {},
  'contract-rebound': { contract: contractPin },
  'contract-migrated': {
    fromVersion: whole,
    contract: contractPin,
    calls: optional(list(call)),
    intents: optional(list(object({ place: whole, argumentsText: text }))),
    outputs: optional(list(object({ callId: text, output: json }))),
  },
  'run-finished': {
    ending: oneOf(...runEndings),
    output: json,
    failure: optional(failure),
  },
  'model-started': {
    step: whole,
    attempt: whole,
    items: whole,
    contextHash: text,
    toolsHash: optional(text),
    tools: optional(list(text)),
  },
  'model-finished': {
    parts: list(modelPart),
    finishReason: oneOf(...finishReasons),
    usage,
    tookMs: time,
    unreadable: optional(text),
    respondedAs: optional(text),
  },
  'model-failed': { failure, tookMs: time, retryAtMs: optional(time) },
  'call-bound': { call },
  'call-refused': {
    callId: text,
    toolCallId: text,
    toolName: text,
    argumentsText: text,
    tool: optional(text),
    failure,
    dropped: oneOf(undefined, true),
  },
  'call-decided': { callId: text, decision, approval: optional(object({ approvalId: text, expiresAtMs: time })) },
  'approval-answered': {
    approvalId: text,
    callId: text,
    argsHash: text,
    verdict: oneOf('approve', 'deny'),
    edited: optional(call),
    note: optional(text),
    by: optional(text),
  },
  'approval-expired': { approvalId: text, callId: text },
  'call-admitted': {
    callId: text,
    attempt: whole,
    upstream: optional(text),
    locks: optional(list(text)),
    waitedMs: time,
    probe: oneOf(undefined, true),
  },
  'admission-refused': {
    callId: text,
    attempt: whole,
    upstream: optional(text),
    lock: optional(text),
    waitedMs: time,
    failure,
  },
  'breaker-changed': {
    callId: text,
    upstream: text,
    from: oneOf(...breakerKinds),
    to: oneOf(...breakerKinds),
    reason: text,
    untilMs: optional(time),
  },
  'attempt-started': { callId: text, attempt: whole, approvalId: optional(text) },
  'attempt-finished': {
    callId: text,
    attempt: whole,
    result: attemptResult,
    tookMs: time,
    sandbox: optional(text),
  },
  'retry-scheduled': { callId: text, attempt: whole, dueAtMs: time },
  'authorization-requested': {
    callId: text,
    authorizationId: text,
    upstream: text,
    expiresAtMs: time,
  },
  'authorization-answered': {
    callId: text,
    authorizationId: text,
    granted: boolean,
    note: optional(text),
    by: optional(text),
  },
  'authorization-expired': { callId: text, authorizationId: text },
  'call-fell-back': {
    callId: text,
    link: whole,
    call,
    skipped: optional(list(object<SkippedLink>({ tool: text, reason: text }))),
  },
  'call-cached': { callId: text, output: json, from: object({ runId: text, callId: text }), ageMs: time },
  'call-recorded': { callId: text, from: text, outcome },
  'call-doubted': { callId: text, attempt: whole, reason: oneOf('crash', 'no-answer'), verifyAtMs: optional(time) },
  'verify-started': { callId: text, round: whole },
  'verify-finished': {
    callId: text,
    round: whole,
    verdict,
    failure: optional(failure),
    tookMs: time,
    retryAtMs: optional(time),
  },
  'call-resolved': {
    callId: text,
    verdict: resolution,
    by: oneOf('verify', 'person', 'evidence', 'policy'),
    note: optional(text),
    person: optional(text),
  },
  'evidence-received': { callId: text, attempt: whole, result: attemptResult },
  'call-settled': {
    callId: text,
    status: oneOf('succeeded', 'failed', 'denied', 'cancelled', 'in-doubt'),
    outcome: optional(outcome),
  },
  'timer-fired': {},
  'message-received': { text },
  'cancel-requested': { reason: text, by: optional(text) },
  'post-refused': { about: text, failure },
};

/** The table as lists, and the names in each. */
const knownFields: ReadonlyMap<
  string,
  { readonly fields: readonly NamedCheck[]; readonly names: ReadonlySet<string> }
> = new Map(
  Object.entries(checks).map(([type, fields]) => [
    type,
    { fields: namedChecks(fields), names: new Set(['type', ...Object.keys(fields)]) },
  ]),
);

/**
 * Passes an entry and narrows it.
 * @throws AxleError `code` for any other value, naming the type and the field: `internal` before it is written, `entry-invalid` after it was read.
 */
export function assertEntry(value: unknown, code: 'internal' | 'entry-invalid'): asserts value is Entry {
  const problem = problemOf(value);
  if (problem !== undefined) throw new AxleError(code, problem);
}

function problemOf(value: unknown): string | undefined {
  if (!isRecord(value)) return 'An entry is not an object.';
  const type = value['type'];
  const known = isEntryType(type) ? knownFields.get(type) : undefined;
  if (known === undefined) return `An entry has the type ${JSON.stringify(type)}, which is not known.`;
  for (const { name, check } of known.fields) {
    if (check(value[name])) continue;
    return `The field "${name}" of an entry "${String(type)}" is missing or of the wrong kind.`;
  }
  for (const name in value) {
    if (known.names.has(name)) continue;
    return `An entry "${String(type)}" has a field that the type does not know: ${JSON.stringify(name)}.`;
  }
  return undefined;
}
