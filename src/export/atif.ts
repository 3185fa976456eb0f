/**
 * A run as a trajectory in the Agent Trajectory Interchange Format, version 1.7: what tools for evaluation and reinforcement learning read.
 *
 * J1 Steps are numbered from 1 without a gap. A result stands in the step of its call and names it by `source_call_id`.
 * J2 Fields that only an agent has (model, calls, observations, metrics) stand in steps of the agent alone.
 * J3 A field of which nothing is known is left out, never made up.
 */
import { describeNotice, describeResult } from '../brain/outcome-text.ts';
import type { HistoryResult, TranscriptItem } from '../call/message.ts';
import { subjectOf } from '../journal/entry.ts';
import { openAiChat, type OpenAiChatTool } from '../formats/openai-chat.ts';
import { defined } from '../util/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import { textOf, wordsOf } from './chat.ts';
import type { ModelAnswer, RecordedItem, RecordedRun } from './recorded-conversation.ts';

export interface AtifStep {
  readonly step_id: number;
  readonly timestamp: string;
  readonly source: 'system' | 'user' | 'agent';
  readonly message: string;
  readonly model_name?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly tool_call_id: string;
    readonly function_name: string;
    readonly arguments: JsonObject;
  }[];
  readonly observation?: {
    readonly results: readonly { readonly source_call_id: string; readonly content: string }[];
  };
  readonly metrics?: AtifMetrics;
  /** 0 for what no model said. */
  readonly llm_call_count?: number;
  readonly extra?: JsonObject;
}

export interface AtifMetrics {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly cached_tokens?: number;
  readonly extra?: JsonObject;
}

export interface AtifTrajectory {
  readonly schema_version: 'ATIF-v1.7';
  readonly session_id: string;
  readonly trajectory_id: string;
  readonly agent: {
    readonly name: string;
    readonly version: string;
    readonly model_name?: string;
    readonly tool_definitions?: readonly OpenAiChatTool[];
  };
  readonly steps: readonly AtifStep[];
  readonly final_metrics: {
    readonly total_prompt_tokens?: number;
    readonly total_completion_tokens?: number;
    readonly total_cached_tokens?: number;
    readonly total_steps: number;
    readonly extra?: JsonObject;
  };
  readonly extra: JsonObject;
}

export function atifTrajectory(run: RecordedRun): AtifTrajectory {
  const { state, task, items, tools } = run;
  const steps: Omit<AtifStep, 'step_id'>[] =
    task.kind === 'agent' && task.agent.instructions.trim() !== ''
      ? [{ timestamp: timeOf(items[0]?.atMs ?? state.nowMs), source: 'system', message: task.agent.instructions }]
      : [];
  for (const [index, recorded] of items.entries()) {
    if (recorded.item.kind !== 'results') steps.push(stepOf(recorded, items[index + 1]?.item));
  }
  return {
    schema_version: 'ATIF-v1.7',
    session_id: state.session ?? state.runId,
    trajectory_id: state.runId,
    agent: {
      name: subjectOf(task),
      // Agents have no version; the hash of their declaration tells two of them apart.
      version: task.kind === 'agent' ? task.agent.hash : (state.contracts[0]?.hash ?? ''),
      ...(task.kind === 'agent' ? { model_name: task.agent.model } : {}),
      ...(tools.length === 0 ? {} : { tool_definitions: openAiChat.toTools(tools) }),
    },
    steps: steps.map((step, index) => ({ step_id: index + 1, ...step })),
    final_metrics: finalMetrics(items, steps.length),
    extra: { axle: { kind: task.kind, traceId: state.traceId, ...endingOf(run) } },
  };
}

function endingOf({ state: { ending, stage } }: RecordedRun): JsonObject {
  if (ending === undefined) return { state: stage };
  return { ending: ending.kind, ...defined({ code: ending.failure?.code }) };
}

function stepOf(recorded: RecordedItem, next: TranscriptItem | undefined): Omit<AtifStep, 'step_id'> {
  const { item, atMs } = recorded;
  const timestamp = timeOf(atMs);
  if (item.kind === 'user') return { timestamp, source: 'user', message: item.text.toWellFormed() };
  if (item.kind !== 'assistant') {
    const text = item.kind === 'notice' ? describeNotice(item.text).toWellFormed() : '';
    return { timestamp, source: 'system', message: text };
  }
  const { answer } = recorded;
  const reasoning = item.parts.flatMap((part) => (part.kind === 'reasoning' ? [part.text] : [])).join('\n');
  const calls = item.calls.map(({ toolCallId, toolName, input }) => ({
    tool_call_id: toolCallId,
    function_name: toolName,
    arguments: argumentsOf(input),
  }));
  const results = next?.kind === 'results' ? next.results : [];
  return {
    timestamp,
    source: 'agent',
    message: textOf(item).toWellFormed(),
    ...(answer === undefined ? { llm_call_count: 0 } : { model_name: answer.model, llm_call_count: 1 }),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning.toWellFormed() }),
    ...(calls.length === 0 ? {} : { tool_calls: calls, observation: { results: results.map(observed) } }),
    ...(answer === undefined ? {} : { metrics: metricsOf(answer) }),
    ...(results.length === 0 ? {} : { extra: { outcomes: results.map(outcomeOf) } }),
  };
}

function observed(result: HistoryResult): { readonly source_call_id: string; readonly content: string } {
  return { source_call_id: result.toolCallId, content: wordsOf(describeResult(result)) };
}

/** What the words of a result do not say to a program: how the call ended, and by which tool. */
function outcomeOf({ callId, toolCallId, outcome, standIn }: HistoryResult): JsonObject {
  const code = outcome.status === 'failed' ? outcome.failure.code : undefined;
  return { tool_call_id: toolCallId, callId, status: outcome.status, ...defined({ code, standIn }) };
}

function argumentsOf(input: JsonValue): JsonObject {
  return isJsonObject(input) ? input : { value: input };
}

function metricsOf({ usage, tookMs }: ModelAnswer): AtifMetrics {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return defined({
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    cached_tokens: cachedInputTokens,
    extra: { tookMs, ...defined({ reasoning_tokens: reasoningTokens }) },
  });
}

function finalMetrics(items: readonly RecordedItem[], stepCount: number): AtifTrajectory['final_metrics'] {
  const metrics = items.flatMap(({ answer }) => (answer === undefined ? [] : [metricsOf(answer)]));
  const sum = (field: 'prompt_tokens' | 'completion_tokens' | 'cached_tokens'): number | undefined => {
    const counted = metrics.flatMap((each) => each[field] ?? []);
    return counted.length === 0 ? undefined : counted.reduce((total, count) => total + count, 0);
  };
  return {
    ...defined({
      total_prompt_tokens: sum('prompt_tokens'),
      total_completion_tokens: sum('completion_tokens'),
      total_cached_tokens: sum('cached_tokens'),
    }),
    total_steps: stepCount,
  };
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
