/** The schemas of what a run looks like from close: spans, conversation, decisions, what a model saw, states, replays. */
import { faultCodes } from '../../diagnose/likely-fault.ts';
import { runEndings, runKinds } from '../../journal/entry.ts';
import { entryTypes } from '../../journal/entry-types.ts';
import type { JsonObject } from '../../util/json.ts';
import { anything, count, flag, listOf, number, object, oneOf, open, text, time } from './json-schema.ts';

const integers = listOf({ type: 'integer' });
const spanTable = object({
  version: oneOf([1]),
  runId: text,
  since: count,
  seq: count,
  epoch: count,
  startMs: time,
  lastMs: time,
  rowCount: count,
  ended: flag,
  kinds: listOf(text),
  statuses: listOf(text),
  names: listOf(text),
  errors: listOf(text),
  reasons: listOf(text),
  index: integers,
  id: listOf(text),
  parent: integers,
  kind: integers,
  name: integers,
  status: integers,
  error: integers,
  reason: integers,
  start: listOf(number),
  duration: listOf(number),
  step: integers,
  attempts: integers,
  inputTokens: integers,
  outputTokens: integers,
  markers: integers,
  seq0: integers,
});

const spanRow = object(
  {
    index: count,
    id: text,
    parent: { type: 'integer' },
    kind: text,
    name: text,
    status: text,
    start: number,
    duration: number,
    step: count,
    attempts: count,
    inputTokens: count,
    outputTokens: count,
    markers: count,
    seq0: count,
  },
  { error: text, reason: text },
);

const spanDetail = object(
  {
    runId: text,
    row: spanRow,
    children: listOf(spanRow),
    startMs: time,
    entries: listOf(object({ id: text, seq: count, atMs: time, entry: open })),
  },
  { endMs: time, span: open, idempotencyKey: text },
);

const tokens = object({ count, kind: oneOf(['exact', 'estimated']) });
const contextView = object(
  {
    runId: text,
    seq: count,
    step: count,
    attempt: count,
    model: text,
    contextHash: text,
    verified: flag,
    hasTools: flag,
    tokens,
    sizeBytes: count,
    blocks: listOf(
      object(
        {
          id: text,
          kind: text,
          role: text,
          text,
          sizeBytes: count,
          tokens,
          provenance: open,
          ageSteps: count,
          change: oneOf(['same', 'added', 'removed', 'moved', 'changed']),
        },
        { body: text },
      ),
    ),
    changes: open,
  },
  { against: count, usage: open },
);

const stateAt = object({
  runId: text,
  seq: count,
  epoch: count,
  atMs: time,
  entry: oneOf(entryTypes),
  state: open,
  patch: listOf(object({ op: oneOf(['add', 'remove', 'replace']), path: text }, { value: anything })),
});

const decisionRow = object(
  {
    seq: count,
    atMs: time,
    spanId: text,
    step: count,
    chose: oneOf(['call', 'answer']),
    beside: listOf(text),
    repairs: count,
    standIns: listOf(text),
  },
  {
    callId: text,
    tool: text,
    statedReason: text,
    refusal: text,
    policy: open,
    approval: open,
    doubt: open,
    outcome: text,
  },
);

const replayReport = object(
  {
    runId: text,
    isSame: flag,
    entries: count,
    steps: count,
    checked: count,
    taken: count,
    uncheckedCount: count,
    unchecked: listOf(object({ seq: count, type: oneOf(entryTypes), reason: text })),
  },
  {
    difference: object(
      { seq: count, step: count, law: text, path: text, message: text },
      { type: oneOf(entryTypes), recorded: anything, recomputed: anything },
    ),
    step: listOf(object({ seq: count, step: count, type: oneOf(entryTypes), how: text })),
  },
);

/** A line has more fields, which its kind says. */
const transcriptLine: JsonObject = {
  ...object({ kind: text, seq: count, atMs: time, spanId: text }),
  additionalProperties: true,
};

const evidence = object({ seq: count, spanId: text, text }, { runId: text });
const diagnosis = object({
  runId: text,
  isOpen: flag,
  faults: listOf(
    object({ code: oneOf(faultCodes), confidence: number, summary: text, evidence: listOf(evidence), remedy: text }),
  ),
});

const comparedRun = object(
  {
    runId: text,
    kind: oneOf(runKinds),
    subject: text,
    steps: count,
    inputTokens: count,
    outputTokens: count,
    workedMs: number,
  },
  { model: text, fork: object({ of: text, step: count }), ending: oneOf(runEndings), output: anything },
);
const comparedCall = object(
  { callId: text, tool: text, input: anything, attempts: count, isRecorded: flag, status: text },
  { output: anything },
);
const comparedStep = object({
  seq: count,
  contextHash: text,
  toolsHash: text,
  items: count,
  said: text,
  calls: listOf(comparedCall),
  inputTokens: count,
  outputTokens: count,
  modelMs: number,
  callsMs: number,
});
const runComparison = object(
  {
    left: comparedRun,
    right: comparedRun,
    steps: listOf(
      object(
        {
          step: count,
          isSame: flag,
          differences: listOf(object({ what: text }, { call: count, path: text, left: anything, right: anything })),
          blocks: listOf(object({ kind: text, change: text }, { index: count, left: text, right: text })),
        },
        { left: comparedStep, right: comparedStep },
      ),
    ),
  },
  { shared: object({ runId: text, steps: count }), divergence: object({ step: count, what: text }) },
);

export const lookComponents: Readonly<Record<string, JsonObject>> = {
  ContextView: contextView,
  DecisionRow: decisionRow,
  ReplayReport: replayReport,
  Diagnosis: diagnosis,
  RunComparison: runComparison,
  SpanDetail: spanDetail,
  SpanTable: spanTable,
  StateAt: stateAt,
  TranscriptLine: transcriptLine,
};
