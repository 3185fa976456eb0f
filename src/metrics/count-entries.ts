/** What each entry counts for. */
import type { Failure } from '../call/outcome.ts';
import type { Append, AttemptFinished, Entry, ModelFailed, ModelFinished, RunFinished } from '../journal/entry.ts';
import type { CountedSeries, Metric } from './registry.ts';
import type { BreakerTransitions } from './breaker-transitions.ts';
import type { GenAiName } from './gen-ai-table.ts';
import type { MetricName } from './metric-table.ts';

/** What is known of a run from its entries so far. */
export interface RunMemory {
  /** Of the last append. */
  epoch: number;
  acceptedAtMs?: number;
  kind?: string;
  model: string;
  /** The agent of a run of one. */
  agent?: string;
  modelCalls: number;
  toolCalls: number;
  /** The tool and the time of binding of each call without outcome. */
  readonly calls: Map<string, { tool: string; readonly atMs: number; askedAtMs?: number; failure?: Failure }>;
  /** Where the last answer was counted, for the next ones like it. */
  answered?: AnsweredSeries;
  /** Where what each tool did well was counted. */
  readonly tools: Map<string, ToolSeries>;
  /** When the attempt of the model call under way began, by the clock of this process. */
  modelStartedAtMs?: number;
}

/** Series that usual turns count in are looked up once for a run. */
interface AnsweredSeries {
  readonly answeredBy: string;
  readonly calls: CountedSeries;
  readonly duration: CountedSeries;
  readonly genAiDuration: CountedSeries;
  readonly shown: CountedSeries;
  readonly cached: CountedSeries;
  readonly written: CountedSeries;
  readonly genAiShown: CountedSeries;
  readonly genAiWritten: CountedSeries;
}

interface ToolSeries {
  attempts?: { readonly count: CountedSeries; readonly duration: CountedSeries; readonly drifts: CountedSeries };
  calls?: { readonly count: CountedSeries; readonly duration: CountedSeries; readonly genAiDuration: CountedSeries };
}

export function newMemory(): RunMemory {
  return { epoch: 0, model: 'unknown', modelCalls: 0, toolCalls: 0, calls: new Map(), tools: new Map() };
}

export type Metrics = Readonly<Record<MetricName, Metric>>;

export type GenAiMetrics = Readonly<Record<GenAiName, Metric>>;

/** Where it is counted. */
export interface Counters {
  readonly metrics: Metrics;
  readonly genAi: GenAiMetrics;
  readonly transitions: BreakerTransitions;
}

/** The number that a state of a breaker has as a gauge. */
export const breakerStates = { closed: 0, 'half-open': 1, open: 2 } as const;

/** In place of an upstream, for a call that waited for a lock alone. */
const lockQueue = '(lock)';

/** Counts an append that was committed at `nowMs` of the clock of this process, and remembers what later ones are counted by. */
export function countAppend(
  memory: RunMemory,
  append: Append,
  { metrics, genAi, transitions, nowMs }: Counters & { readonly nowMs: number },
): void {
  metrics.axle_appends_total.add();
  metrics.axle_entries_total.add(none, append.entries.length);
  const counting: Counting = { metrics, genAi, transitions, nowMs, atMs: append.atMs };
  for (const entry of append.entries) {
    countEntry(memory, entry, counting);
    remember(memory, entry, append.atMs);
  }
  memory.epoch = append.epoch;
}

/** History was counted by whoever committed it. */
export function rememberAppend(memory: RunMemory, append: Append): void {
  for (const entry of append.entries) remember(memory, entry, append.atMs);
  memory.epoch = append.epoch;
}

const none = {};

function remember(memory: RunMemory, entry: Entry, atMs: number): void {
  switch (entry.type) {
    case 'run-accepted':
      memory.acceptedAtMs = atMs;
      memory.kind = entry.task.kind;
      if (entry.task.kind === 'agent') {
        memory.model = entry.task.agent.model;
        memory.agent = entry.task.agent.name;
      }
      return;
    case 'model-started':
      memory.modelCalls += 1;
      return;
    case 'call-bound':
      memory.toolCalls += 1;
      memory.calls.set(entry.call.callId, { tool: entry.call.tool, atMs });
      return;
    case 'call-fell-back': {
      const call = memory.calls.get(entry.callId);
      if (call !== undefined) call.tool = entry.call.tool;
      return;
    }
    case 'call-decided': {
      const call = memory.calls.get(entry.callId);
      if (call === undefined) return;
      if (entry.decision.kind === 'ask') call.askedAtMs = atMs;
      if (entry.decision.kind === 'deny') memory.calls.delete(entry.callId);
      return;
    }
    case 'attempt-finished': {
      const call = memory.calls.get(entry.callId);
      if (call !== undefined && entry.result.status === 'failed') call.failure = entry.result.failure;
      return;
    }
    case 'call-settled':
    case 'call-cached':
    case 'approval-expired':
      memory.calls.delete(entry.callId);
      return;
    case 'approval-answered':
      if (entry.verdict === 'deny') memory.calls.delete(entry.callId);
      break;
    default:
  }
}

interface Counting extends Counters {
  readonly nowMs: number;
  /** The time of the append. */
  readonly atMs: number;
}

function countEntry(memory: RunMemory, entry: Entry, counting: Counting): void {
  const { metrics, nowMs, atMs } = counting;
  switch (entry.type) {
    case 'run-claimed':
      // The first driver of a run takes nothing up again.
      if (memory.epoch > 0) metrics.axle_resume_total.add({ result: 'resumed' });
      return;
    case 'run-held':
      metrics.axle_resume_total.add({ result: 'held' });
      return;
    case 'run-finished': {
      const kind = memory.kind ?? 'unknown';
      metrics.axle_runs_total.add({ kind, outcome: entry.ending });
      if (memory.acceptedAtMs !== undefined) {
        metrics.axle_run_duration_seconds.observe({ kind }, (atMs - memory.acceptedAtMs) / 1_000);
      }
      countAgent(memory, entry, counting);
      return;
    }
    case 'model-started':
      memory.modelStartedAtMs = nowMs;
      if (entry.attempt === 1) metrics.axle_steps_total.add();
      return;
    case 'model-finished':
      countAnswer(memory, entry, counting);
      return;
    case 'model-failed':
      countFailure(memory, entry, counting);
      return;
    case 'call-bound':
      for (const { rule } of entry.call.repairs ?? []) metrics.axle_tool_repairs_total.add({ kind: rule });
      return;
    case 'call-refused':
      metrics.axle_tool_refusals_total.add({ code: entry.failure.code });
      return;
    default:
      if ('callId' in entry) countCall(memory, entry, counting);
  }
}

function countAgent(
  { agent, model, acceptedAtMs, modelCalls, toolCalls }: RunMemory,
  { ending, failure }: RunFinished,
  { genAi, atMs }: Counting,
): void {
  if (agent === undefined || acceptedAtMs === undefined) return;
  const error = ending === 'failed' || ending === 'stopped' ? (failure?.code ?? ending) : '';
  genAi.agent_duration.observe({ agent, model, error }, (atMs - acceptedAtMs) / 1_000);
  genAi.agent_model_calls.observe({ agent }, modelCalls);
  genAi.agent_tool_calls.observe({ agent }, toolCalls);
}

function countFailure({ model }: RunMemory, { tookMs, failure }: ModelFailed, { metrics, genAi }: Counting): void {
  metrics.axle_model_calls_total.add({ model, outcome: 'failed' });
  metrics.axle_model_call_duration_seconds.observe({ model }, tookMs / 1_000);
  genAi.model_duration.observe({ model, answered_by: '', error: failure.code }, tookMs / 1_000);
}

function countAnswer(memory: RunMemory, entry: ModelFinished, counting: Counting): void {
  const { usage, tookMs, unreadable, respondedAs = '' } = entry;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage;
  const { model, answered: known } = memory;
  const isLikeLast = known?.answeredBy === respondedAs && unreadable === undefined;
  const series = isLikeLast ? known : answeredSeries(model, entry, counting);
  if (unreadable === undefined) memory.answered = series;
  series.calls.add();
  series.duration.observe(tookMs / 1_000);
  series.genAiDuration.observe(tookMs / 1_000);
  series.shown.add(Math.max(0, inputTokens - cachedInputTokens));
  series.cached.add(cachedInputTokens);
  series.written.add(outputTokens);
  series.genAiShown.add(inputTokens);
  series.genAiWritten.add(outputTokens);
  const labels = { model, answered_by: respondedAs };
  if (cachedInputTokens > 0) counting.genAi.cached_tokens.add(labels, cachedInputTokens);
  if (reasoningTokens > 0) counting.genAi.reasoning_tokens.add(labels, reasoningTokens);
}

function answeredSeries(
  model: string,
  { respondedAs = '', unreadable }: ModelFinished,
  { metrics, genAi }: Counting,
): AnsweredSeries {
  const { axle_model_calls_total: calls, axle_tokens_total: tokens } = metrics;
  const labels = { model, answered_by: respondedAs };
  return {
    answeredBy: respondedAs,
    calls: calls.at({ model, outcome: unreadable === undefined ? 'answered' : 'unreadable' }),
    duration: metrics.axle_model_call_duration_seconds.at({ model }),
    genAiDuration: genAi.model_duration.at({ ...labels, error: '' }),
    shown: tokens.at({ model, direction: 'input', cache: 'miss' }),
    cached: tokens.at({ model, direction: 'input', cache: 'hit' }),
    written: tokens.at({ model, direction: 'output', cache: 'none' }),
    genAiShown: genAi.input_tokens.at(labels),
    genAiWritten: genAi.output_tokens.at(labels),
  };
}

/** As the spans of these calls have it. */
const denied = { code: 'call-denied' };

function countCall(memory: RunMemory, entry: Extract<Entry, { readonly callId: string }>, counting: Counting): void {
  const { metrics, genAi, atMs } = counting;
  const call = memory.calls.get(entry.callId);
  const tool = call?.tool ?? 'unknown';
  const ends = (outcome: string, error: { readonly code?: string; readonly class?: string } = {}): void => {
    metrics.axle_tool_calls_total.add({ tool, outcome, error_class: error.class ?? '' });
    if (call === undefined) return;
    const seconds = (atMs - call.atMs) / 1_000;
    metrics.axle_tool_call_duration_seconds.observe({ tool }, seconds);
    genAi.tool_duration.observe({ tool, error: error.code ?? '' }, seconds);
  };
  switch (entry.type) {
    case 'call-decided':
      metrics.axle_policy_decisions_total.add({ decision: entry.decision.kind });
      if (entry.decision.kind === 'deny') ends('denied', denied);
      return;
    case 'approval-answered':
    case 'approval-expired': {
      const verdict = entry.type === 'approval-expired' ? 'expired' : entry.verdict;
      if (call?.askedAtMs !== undefined) {
        metrics.axle_approval_wait_seconds.observe({ verdict }, (atMs - call.askedAtMs) / 1_000);
      }
      if (verdict !== 'approve') ends('denied', verdict === 'deny' ? denied : { code: 'approval-expired' });
      return;
    }
    case 'attempt-finished':
      countAttempt(memory, { entry, tool }, counting);
      return;
    case 'call-settled': {
      if (entry.status === 'succeeded' && call !== undefined) {
        countSuccess(memory, { tool, tookMs: atMs - call.atMs }, counting);
        return;
      }
      const failure = entry.outcome?.status === 'failed' ? entry.outcome.failure : call?.failure;
      ends(entry.status, entry.status === 'failed' ? (failure ?? { code: 'failed' }) : {});
      return;
    }
    case 'call-cached':
      metrics.axle_tool_cache_hits_total.add({ tool });
      ends('succeeded');
      return;
    case 'call-fell-back':
      metrics.axle_tool_fallbacks_total.add({ tool: entry.call.tool });
      return;
    case 'call-doubted':
      metrics.axle_doubts_total.add({ reason: entry.reason });
      return;
    default:
      countUpstream(entry, counting);
  }
}

function countAttempt(
  memory: RunMemory,
  { entry: { result, tookMs }, tool }: { readonly entry: AttemptFinished; readonly tool: string },
  { metrics }: Counting,
): void {
  if (result.status === 'succeeded') {
    const series = toolSeries(memory, tool);
    series.attempts ??= {
      count: metrics.axle_tool_attempts_total.at({ tool, outcome: 'succeeded' }),
      duration: metrics.axle_tool_attempt_duration_seconds.at({ tool }),
      // There with 0 before the first one, so that an alert on its increase sees that too.
      drifts: metrics.axle_tool_drifts_total.at({ tool }),
    };
    series.attempts.count.add();
    series.attempts.duration.observe(tookMs / 1_000);
    return;
  }
  metrics.axle_tool_attempts_total.add({ tool, outcome: result.status });
  metrics.axle_tool_attempt_duration_seconds.observe({ tool }, tookMs / 1_000);
  metrics.axle_tool_drifts_total.add({ tool }, result.drift ? 1 : 0);
}

function countSuccess(
  memory: RunMemory,
  { tool, tookMs }: { readonly tool: string; readonly tookMs: number },
  { metrics, genAi }: Counting,
): void {
  const series = toolSeries(memory, tool);
  series.calls ??= {
    count: metrics.axle_tool_calls_total.at({ tool, outcome: 'succeeded', error_class: '' }),
    duration: metrics.axle_tool_call_duration_seconds.at({ tool }),
    genAiDuration: genAi.tool_duration.at({ tool, error: '' }),
  };
  series.calls.count.add();
  series.calls.duration.observe(tookMs / 1_000);
  series.calls.genAiDuration.observe(tookMs / 1_000);
}

function toolSeries({ tools }: RunMemory, tool: string): ToolSeries {
  const known = tools.get(tool);
  if (known !== undefined) return known;
  const series = {};
  tools.set(tool, series);
  return series;
}

function countUpstream(entry: Entry, { metrics, transitions }: Counting): void {
  switch (entry.type) {
    case 'call-admitted':
      metrics.axle_rate_limit_wait_seconds.observe({ upstream: entry.upstream ?? lockQueue }, entry.waitedMs / 1_000);
      return;
    case 'admission-refused':
      metrics.axle_admissions_refused_total.add({ upstream: entry.upstream ?? lockQueue, code: entry.failure.code });
      return;
    case 'breaker-changed':
      metrics.axle_breaker_state.set({ upstream: entry.upstream }, breakerStates[entry.to]);
      transitions.told(entry.upstream, entry.to);
      break;
    default:
  }
}
