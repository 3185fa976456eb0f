/** The schemas of what the API answers: `wire.ts` once more, for clients in other languages. A test holds real answers to them. */
import { errorCatalogue, errorClasses } from '../../error/catalogue.ts';
import { entryTypes } from '../../journal/entry-types.ts';
import { runEndings, runKinds } from '../../journal/entry.ts';
import { runStates, upstreamActions } from '../../journal/store.ts';
import type { JsonObject } from '../../util/json.ts';
import { scopes } from '../request/tokens.ts';
import { lookComponents } from './look-components.ts';
import { anything, count, flag, listOf, named, number, object, oneOf, open, text, time } from './json-schema.ts';

const effect = oneOf(['read', 'idempotent', 'write']);
const risk = oneOf(['low', 'medium', 'high']);
const waits = listOf(named('WaitReason'));

const failure = object(
  { code: text, class: oneOf(errorClasses), message: text, evidence: oneOf(['none', 'possible', 'unknown']) },
  { advice: text, retryAfterMs: number, details: anything },
);

const runTotals = object({
  modelCalls: count,
  toolCalls: count,
  attempts: count,
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count,
  errors: count,
  approvals: count,
  doubts: count,
});

const runRow = object(
  {
    runId: text,
    kind: oneOf(runKinds),
    subject: text,
    createdAtMs: time,
    updatedAtMs: time,
    epoch: count,
    seq: count,
    state: oneOf(runStates),
    waitingOn: waits,
    steps: count,
    hasPosts: flag,
  },
  {
    session: text,
    key: text,
    ending: oneOf(runEndings),
    wakeAtMs: time,
    goal: text,
    totals: named('RunRowTotals'),
  },
);

const waitReason: JsonObject = {
  oneOf: [
    object({ kind: oneOf(['approval']), approvalId: text, callId: text, expiresAtMs: time }),
    object(
      {
        kind: oneOf(['authorization']),
        authorizationId: text,
        callId: text,
        upstream: text,
        message: text,
        expiresAtMs: time,
      },
      { url: text },
    ),
    object({ kind: oneOf(['doubt']), callId: text }),
    object({ kind: oneOf(['timer']), dueAtMs: time }),
    object({ kind: oneOf(['message']) }),
    object({ kind: oneOf(['held']), reason: text }, { tool: text }),
  ],
};

const runResult: JsonObject = {
  oneOf: [
    object(
      {
        status: oneOf(runEndings),
        runId: text,
        output: anything,
        steps: count,
        totals: object({ modelCalls: count, inputTokens: count, outputTokens: count, calls: count, attempts: count }),
      },
      { failure: named('Failure') },
    ),
    object({ status: oneOf(['waiting']), runId: text, on: waits }),
  ],
};

const counters = {
  active: count,
  waiting: count,
  held: count,
  askingApproval: count,
  askingAuthorization: count,
  inDoubt: count,
  failedLastDay: count,
  isComplete: flag,
};

const approvalItem = object(
  {
    approvalId: text,
    etag: text,
    runId: text,
    callId: text,
    subject: text,
    tool: text,
    toolVersion: count,
    effect,
    input: anything,
    reason: text,
    expiresAtMs: time,
  },
  { goal: text, risk, isIrreversible: flag, inputSchema: anything, statedReason: text, askedAtMs: time },
);

const authorizationItem = object(
  {
    authorizationId: text,
    etag: text,
    runId: text,
    subject: text,
    upstream: text,
    message: text,
    calls: listOf(object({ callId: text, tool: text })),
    expiresAtMs: time,
  },
  { goal: text, url: text },
);

const doubtItem = object(
  {
    id: text,
    etag: text,
    runId: text,
    callId: text,
    subject: text,
    tool: text,
    toolVersion: count,
    effect,
    input: anything,
    reason: oneOf(['crash', 'no-answer']),
    attempt: count,
    idempotencyKey: text,
  },
  { goal: text, doubtedAtMs: time, outputSchema: anything },
);

const toolFields = {
  name: text,
  version: count,
  hash: text,
  isNewest: flag,
  isRetained: flag,
  description: text,
  effect,
  risk,
  isIrreversible: flag,
  fallback: listOf(text),
  canVerify: flag,
  canUndo: flag,
  drifts: count,
};
const toolOptions = { upstream: text };

const breakerKind = oneOf(['closed', 'open', 'half-open']);
const breakerChange = { from: breakerKind, to: breakerKind, reason: text };

const upstreamItem = object(
  {
    name: text,
    breaker: object({ kind: breakerKind, sinceMs: time, reason: text }, { untilMs: time }),
    changes: listOf(object({ ...breakerChange, atMs: time }, { untilMs: time })),
  },
  { pausedUntilMs: time, live: object({ inFlight: count, waiting: count }, { tokens: number }) },
);

const systemAnswer = object(
  {
    name: oneOf(['axle']),
    version: text,
    storeId: text,
    role: oneOf(['driver', 'client']),
    isReadOnly: flag,
    isDraining: flag,
    needsToken: flag,
    scopes: listOf(oneOf(scopes)),
    startedAtMs: time,
    nowMs: time,
    node: text,
    memoryBytes: count,
    counters: named('RunCounters'),
    listeners: count,
  },
  { caller: text },
);

const problem = object(
  {
    type: text,
    title: text,
    status: count,
    detail: text,
    code: oneOf(Object.keys(errorCatalogue)),
    class: oneOf(errorClasses),
    remedy: text,
  },
  { details: open, effectMayHaveHappened: oneOf([true]) },
);

const share: JsonObject = { type: 'number', minimum: 0, maximum: 1 };
const toolStatisticsAnswer: JsonObject = object({
  items: listOf(
    object(
      {
        tool: text,
        calls: count,
        refused: count,
        succeeded: count,
        failed: count,
        denied: count,
        doubts: count,
        cached: count,
        recorded: count,
        repaired: count,
        stoodIn: count,
        attempts: count,
        repairs: listOf(object({ rule: text, path: text, count })),
        errors: listOf(object({ runId: text, callId: text, atMs: time, code: text, message: text })),
      },
      {
        errorRate: share,
        attemptsPerCall: number,
        repairRate: share,
        cacheShare: share,
        attemptMs: object({ count, p50: number, p95: number, p99: number, most: number }),
      },
    ),
  ),
  over: object({ runs: count, skipped: count, cut: count }, { sinceMs: time }),
});

export const components: Readonly<Record<string, JsonObject>> = {
  ...lookComponents,
  Accepted: object({ runId: text, accepted: oneOf([true]) }),
  AgentRow: object({
    name: text,
    model: text,
    instructions: text,
    tools: listOf(text),
    limits: object({ steps: count, workMs: number }),
  }),
  ApprovalItem: approvalItem,
  AuthorizationItem: authorizationItem,
  DoubtItem: doubtItem,
  EntryRow: object({
    id: text,
    seq: count,
    epoch: count,
    atMs: time,
    entry: { type: 'object', properties: { type: oneOf(entryTypes) }, required: ['type'], additionalProperties: true },
  }),
  ErrorRow: object({ code: text, class: oneOf(errorClasses), status: count, meaning: text, remedy: text }),
  Failure: failure,
  LogLine: object({
    number: count,
    atMs: time,
    level: oneOf(['debug', 'info', 'warn', 'error']),
    message: text,
    fields: open,
  }),
  Problem: problem,
  RunCounters: object(counters),
  RunResult: runResult,
  RunRow: runRow,
  RunRowTotals: runTotals,
  SystemAnswer: systemAnswer,
  ToolDetail: object(
    {
      ...toolFields,
      versions: listOf(count),
      inputSchema: anything,
      examples: listOf(object({ input: anything }, { output: anything })),
      timeoutMs: number,
      attempts: count,
      drift: listOf(open),
    },
    { ...toolOptions, outputSchema: anything },
  ),
  ToolRow: object(toolFields, toolOptions),
  ToolStatisticsAnswer: toolStatisticsAnswer,
  UpstreamItem: upstreamItem,
  WaitReason: waitReason,
};

/** What is asked of an upstream. */
export const upstreamAction: JsonObject = oneOf(upstreamActions);

/** A part of a list of components. */
export function pageOf(name: string): JsonObject {
  return object({ items: listOf(named(name)) }, { next: text });
}
