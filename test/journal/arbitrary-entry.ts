/** Any entry that may enter a journal, with large values, awkward keys and references that are none. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
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
const result = fc.oneof(
  fc.record({ status: fc.constant('succeeded'), output: json }),
  fc.record({ status: fc.constant('failed'), failure }),
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
);
const part = fc.oneof(
  fc.record({ kind: fc.constantFrom('text', 'reasoning'), text, meta: json }),
  fc.record({ kind: fc.constant('call'), toolCallId: text, toolName: text, argumentsText: text }),
);
const happened = fc.record({ kind: fc.constant('happened'), output: json });

const named = { callId: text, attempt: count };
const fields: Readonly<Record<EntryType, Readonly<Record<string, Arbitrary<unknown>>>>> = {
  'run-accepted': { runId: text, task, durability: fc.constant('effects'), traceId: text },
  'run-claimed': { worker: text },
  'run-held': { reason: text, remedy: text, details: json },
  'run-released': {},
  'contract-rebound': { contract },
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
  'call-refused': { callId: text, toolCallId: text, toolName: text, argumentsText: text, failure },
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
  'attempt-started': named,
  'attempt-finished': { ...named, result, tookMs: count },
  'retry-scheduled': { ...named, dueAtMs: count },
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
