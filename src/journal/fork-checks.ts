/** The checks of what makes a run a fork. */
import type { HistoryCall, HistoryResult, TranscriptItem } from '../call/message.ts';
import { json, list, modelPart, object, oneOf, optional, outcome, tagged, text, whole } from './entry-checks.ts';
import { forkChanges, type RecordedResult, type RunFork } from './fork-entries.ts';

const named = { callId: text, toolCallId: text, toolName: text };
const historyCall = object<HistoryCall>({ ...named, input: json, meta: optional(json) });
const historyResult = object<HistoryResult>({ ...named, outcome, standIn: optional(text) });

const transcriptItem = tagged<TranscriptItem, 'kind'>('kind', {
  user: { text },
  notice: { text },
  assistant: { parts: list(modelPart), calls: list(historyCall) },
  results: { results: list(historyResult) },
});

const recordedResult = object<RecordedResult>({ callId: text, tool: text, argsHashes: list(text), outcome });

export const runFork = object<RunFork>({
  of: text,
  step: whole,
  seq: whole,
  changed: list(oneOf(...forkChanges)),
  history: list(transcriptItem),
  live: list(text),
  recorded: list(recordedResult),
  denied: list(text),
  suspect: list(text),
  tools: optional(list(text)),
  found: list(text),
  invalidCalls: optional(list(object<InvalidCalls>({ tool: text, count: whole, step: whole }))),
});

type InvalidCalls = NonNullable<RunFork['invalidCalls']>[number];
