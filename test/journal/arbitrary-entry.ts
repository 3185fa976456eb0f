/** Any entry that may enter a journal, with large values, awkward keys and references that are none. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { sandboxProperties } from '../../src/call/isolation.ts';
import type { Entry, EntryType } from '../../src/journal/entry.ts';
import type { JsonValue } from '../../src/util/json.ts';
import { sampleCall } from './sample-entries.ts';

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('long '.repeat(600)), fc.constant('"$body"'));
const count = fc.nat();

// Through text once: a negative zero is no JSON data (`JSON.stringify` writes 0 for it). `JSON.parse` types nothing.
const plain = fc.json().map((text) => JSON.parse(JSON.stringify(JSON.parse(text))) as JsonValue);
const json: Arbitrary<JsonValue> = fc.oneof(
  plain,
  text,
  fc.record({ $body: fc.oneof(text, plain) }),
  fc.record({ rows: fc.array(plain, { maxLength: 60 }), text }),
);

const failure = fc.record({
  code: text,
  class: fc.constantFrom('retryable', 'recoverable', 'fatal'),
  message: text,
  evidence: fc.constantFrom('none', 'possible', 'unknown'),
  details: json,
});
const drift = fc.record({
  missing: fc.array(text, { maxLength: 2 }),
  unexpected: fc.array(text, { maxLength: 2 }),
  changed: fc.array(fc.record({ path: text, declared: text, came: text }), { maxLength: 2 }),
  shape: text,
  raw: json,
  rawHash: text,
  rawLength: count,
});
const result = fc.oneof(
  fc.record({ status: fc.constant('succeeded'), output: json }),
  fc.record({ status: fc.constant('failed'), failure }),
  fc.record({ status: fc.constant('failed'), failure, drift }),
);
const call = json.map(sampleCall);
const terms = fc.record({
  effect: fc.constantFrom('read', 'idempotent', 'write'),
  risk: fc.constantFrom('low', 'medium', 'high'),
  irreversible: fc.boolean(),
  maxAttempts: count,
  timeoutMs: count,
  backoffBaseMs: count,
  backoffCapMs: count,
  canVerify: fc.boolean(),
  settleMs: count,
  parallel: fc.boolean(),
  publishes: fc.array(fc.record({ key: text, at: text, version: count }), { maxLength: 2 }),
  needs: fc.array(text, { maxLength: 2 }),
  sandbox: fc.subarray([...sandboxProperties]),
});
const contract = fc.record({ name: text, version: count, hash: text, shape: text, terms });
const agent = fc.record({
  name: text,
  hash: text,
  instructions: text,
  model: text,
  limits: fc.record({ steps: count, workMs: count }),
  onDoubt: fc.constantFrom('ask', 'tell'),
  onAnswer: fc.constantFrom('finish', 'wait'),
  approvalTtlMs: count,
  settings: json,
});
const task = fc.oneof(
  fc.record({ kind: fc.constant('agent'), input: text, agent, contracts: fc.array(contract, { maxLength: 40 }) }),
  fc.record({
    kind: fc.constant('call'),
    tool: text,
    input: json,
    contracts: fc.array(contract),
    approvalTtlMs: count,
  }),
  fc.record({
    kind: fc.constant('undo'),
    of: text,
    only: fc.array(text, { maxLength: 2 }),
    steps: fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('undo'), callId: text, tool: text, input: json, output: json }),
        fc.record({ kind: fc.constant('unable'), callId: text, tool: text, reason: fc.constant('no-undo') }),
      ),
      { maxLength: 3 },
    ),
    onProblem: fc.constant('stop'),
    contracts: fc.array(contract),
    approvalTtlMs: count,
  }),
);
const part = fc.oneof(
  fc.record({ kind: fc.constantFrom('text', 'reasoning'), text, meta: json }),
  fc.record({ kind: fc.constant('call'), toolCallId: text, toolName: text, argumentsText: text }),
  fc.record({
    kind: fc.constant('call'),
    toolCallId: text,
    toolName: text,
    argumentsText: text,
    written: fc.record({ text, besideText: fc.boolean() }),
  }),
);
const happened = fc.record({ kind: fc.constant('happened'), output: json });

const historyNames = { callId: text, toolCallId: text, toolName: text };
const fork = fc.record({
  of: text,
  step: count,
  seq: count,
  changed: fc.constantFrom([], ['model', 'results']),
  history: fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('user'), text }),
      fc.record({
        kind: fc.constant('assistant'),
        parts: fc.array(part, { maxLength: 2 }),
        calls: fc.array(fc.record({ ...historyNames, input: json }), { maxLength: 2 }),
      }),
      fc.record({
        kind: fc.constant('results'),
        results: fc.array(
          fc.record({ ...historyNames, outcome: fc.record({ status: fc.constant('succeeded'), output: json }) }),
          { maxLength: 2 },
        ),
      }),
    ),
    { maxLength: 3 },
  ),
  live: fc.array(text, { maxLength: 2 }),
  recorded: fc.array(
    fc.record({
      callId: text,
      tool: text,
      argsHashes: fc.array(text, { maxLength: 2 }),
      outcome: fc.record({ status: fc.constant('succeeded'), output: json }),
    }),
    { maxLength: 2 },
  ),
  denied: fc.array(text, { maxLength: 2 }),
  suspect: fc.array(text, { maxLength: 2 }),
  found: fc.array(text, { maxLength: 2 }),
});

const named = { callId: text, attempt: count };
const fields: Readonly<Record<EntryType, Readonly<Record<string, Arbitrary<unknown>>>>> = {
  'run-accepted': {
    runId: text,
    task,
    durability: fc.constant('effects'),
    traceId: text,
    fork: fc.option(fork, { nil: undefined }),
    context: fc.dictionary(fc.constantFrom('user.id', 'order'), fc.record({ value: json, version: count })),
  },
  'run-claimed': { worker: text },
  'run-held': { reason: text, remedy: text, details: json },
  'run-released': {},
  'contract-rebound': { contract },
  'contract-migrated': {
    fromVersion: count,
    contract,
    calls: fc.array(call, { maxLength: 3 }),
    outputs: fc.array(fc.record({ callId: text, output: json }), { maxLength: 2 }),
  },
  'run-finished': { ending: fc.constant('completed'), output: json },
  'model-started': { step: count, attempt: count, items: count, contextHash: text },
  'model-finished': {
    parts: fc.array(part),
    finishReason: fc.constant('stop'),
    usage: fc.record({ inputTokens: count }),
    tookMs: count,
  },
  'model-failed': { failure, tookMs: count },
  'call-bound': { call },
  'call-refused': { callId: text, toolCallId: text, toolName: text, argumentsText: text, tool: text, failure },
  'call-decided': { callId: text, decision: fc.record({ kind: fc.constant('allow'), rule: text }) },
  'approval-answered': {
    approvalId: text,
    callId: text,
    argsHash: text,
    verdict: fc.constant('approve'),
    edited: call,
    note: text,
  },
  'approval-expired': { approvalId: text, callId: text },
  'call-admitted': { ...named, upstream: text, locks: fc.array(text, { maxLength: 3 }), waitedMs: count },
  'admission-refused': { ...named, lock: text, waitedMs: count, failure },
  'breaker-changed': {
    callId: text,
    upstream: text,
    from: fc.constantFrom('closed', 'open', 'half-open'),
    to: fc.constantFrom('closed', 'open', 'half-open'),
    reason: text,
    untilMs: count,
  },
  'attempt-started': named,
  'attempt-finished': { ...named, result, tookMs: count, sandbox: text },
  'retry-scheduled': { ...named, dueAtMs: count },
  'authorization-requested': { callId: text, authorizationId: text, upstream: text, expiresAtMs: count },
  'authorization-answered': { callId: text, authorizationId: text, granted: fc.boolean(), note: text, by: text },
  'authorization-expired': { callId: text, authorizationId: text },
  'call-fell-back': {
    callId: text,
    link: count,
    call,
    skipped: fc.array(fc.record({ tool: text, reason: text }), { maxLength: 3 }),
  },
  'call-cached': { callId: text, output: json, from: fc.record({ runId: text, callId: text }), ageMs: count },
  'call-recorded': {
    callId: text,
    from: text,
    outcome: fc.record({ status: fc.constant('succeeded'), output: json }),
  },
  'call-doubted': { ...named, reason: fc.constant('crash') },
  'verify-started': { callId: text, round: count },
  'verify-finished': { callId: text, round: count, verdict: happened, tookMs: count },
  'call-resolved': { callId: text, verdict: happened, by: fc.constant('person') },
  'evidence-received': { ...named, result },
  'call-settled': {
    callId: text,
    status: fc.constant('succeeded'),
    outcome: fc.record({ status: fc.constant('succeeded'), output: json }),
  },
  'timer-fired': {},
  'message-received': { text },
  'cancel-requested': { reason: text },
  'post-refused': { about: text, failure },
};

// The table is typed by the names of entries; that its values fit is what the guard of the codec checks in each test.
export const arbitraryEntry = fc.oneof(
  ...Object.entries(fields).map(([type, rest]) => fc.record({ type: fc.constant(type), ...rest })),
) as unknown as Arbitrary<Entry>;
