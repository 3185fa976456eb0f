/** Entries, runs and posts as the tests of the stores write them. */
import { expect } from 'vitest';
import type { BoundCall } from '../../src/call/call.ts';
import type { Append, Entry, RunTask } from '../../src/journal/entry.ts';
import type { AppendBatch, NewRun, Post, RunStatus } from '../../src/journal/store.ts';
import type { JsonValue } from '../../src/util/json.ts';

export const activeStatus: RunStatus = { state: 'active', waitingOn: [], steps: 1 };

export const callTask: RunTask = {
  kind: 'call',
  tool: 'refund',
  input: { cents: 5 },
  contracts: [],
  approvalTtlMs: 60_000,
};

export function accepted(runId: string): Entry {
  return { type: 'run-accepted', runId, task: callTask, durability: 'effects', traceId: '0'.repeat(32) };
}

export function message(text: string): Entry {
  return { type: 'message-received', text };
}

export function attemptFinished(output: JsonValue): Entry {
  return { type: 'attempt-finished', callId: '1.0', attempt: 1, result: { status: 'succeeded', output }, tookMs: 3 };
}

export function sampleCall(input: JsonValue): BoundCall {
  return {
    callId: '1.0',
    toolCallId: 'call_1',
    tool: 'refund',
    input,
    argsHash: 'a',
    repairs: [{ rule: 'string-to-number', path: '/cents' }],
  };
}

export function newRun(runId: string, more: Partial<NewRun> = {}): NewRun {
  const epoch = more.claim === true ? 1 : 0;
  return {
    runId,
    kind: 'call',
    subject: 'refund',
    requestHash: `hash of ${runId}`,
    append: { firstSeq: 1, epoch, atMs: 1_000, entries: [accepted(runId)] },
    ...more,
  };
}

/** An append of messages after `lastSeq`. */
export function messages(lastSeq: number, texts: readonly string[], more: Partial<Append> = {}): Append {
  return { firstSeq: lastSeq + 1, epoch: 1, atMs: 2_000 + lastSeq, entries: texts.map(message), ...more };
}

export function batch(runId: string, append: Append, more: Partial<AppendBatch> = {}): AppendBatch {
  return { runId, append, status: activeStatus, ...more };
}

export function post(runId: string, more: Partial<Post> = {}): Post {
  return { runId, kind: 'message', body: { text: 'hello' }, atMs: 3_000, ...more };
}

export const endedStatus: RunStatus = { state: 'ended', waitingOn: [], ending: 'completed', steps: 2 };

/** Matches an `AxleError` with this code. */
export const coded = (code: string): unknown => expect.objectContaining({ code });
