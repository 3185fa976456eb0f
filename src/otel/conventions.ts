/**
 * The names of spans, metrics and attributes: those of the GenAI semantic conventions 0.1.0 of OpenTelemetry where they have one, `axle.*` for the rest. They stand in this file
 * alone, since the conventions still change.
 */

import type { GenAiName } from '../metrics/gen-ai-table.ts';
import type { MetricName } from '../metrics/metric-table.ts';

/** The version of the conventions, as their own repository publishes it. */
export const schemaUrl = 'https://opentelemetry.io/schemas/gen-ai/0.1.0';

export const operation = { run: 'invoke_agent', model: 'chat', tool: 'execute_tool' } as const;

export const attribute = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  conversationId: 'gen_ai.conversation.id',
  tokenModality: 'gen_ai.token.modality',
  agentName: 'gen_ai.agent.name',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  errorType: 'error.type',
  serviceName: 'service.name',
  serviceVersion: 'service.version',
  serviceInstance: 'service.instance.id',
  runId: 'axle.run.id',
  runKind: 'axle.run.kind',
  ending: 'axle.run.ending',
  epoch: 'axle.epoch',
  step: 'axle.step',
  attempt: 'axle.attempt',
  callStatus: 'axle.call.status',
  effect: 'axle.tool.effect',
  decision: 'axle.policy.decision',
  rule: 'axle.policy.rule',
  cached: 'axle.call.cached',
  repairs: 'axle.call.repairs',
  upstream: 'axle.upstream',
  sandbox: 'axle.sandbox',
  reason: 'axle.reason',
  verdict: 'axle.verdict',
  cause: 'axle.gap.cause',
} as const;

export const spanName = {
  attempt: 'axle.tool.attempt',
  doubt: 'axle.doubt',
  verify: 'axle.verify',
  gap: 'axle.gap',
  call: 'axle.call',
  undo: 'axle.undo',
} as const;

/** The event of the span of a run that another driver took up. */
export const resumedEvent = 'axle.resumed';

/** The span of a wait, for example `axle.approval.wait`. */
export function waitName(kind: string): string {
  return `axle.${kind}.wait`;
}

/** The event of a mark, for example `axle.message`. */
export function eventName(kind: string): string {
  return `axle.${kind}`;
}

/** How a metric is called in the conventions, and what its unit is in UCUM. */
export interface MetricTerm {
  readonly name: string;
  readonly unit: string;
  /** What each of its points has, beside its labels. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** The attributes of labels that mean something else here than elsewhere. */
  readonly labels?: Readonly<Record<string, string>>;
}

const inModel = { [attribute.operation]: operation.model } as const;
const inText = { ...inModel, [attribute.tokenModality]: 'text' } as const;
const inTool = { [attribute.operation]: operation.tool, [attribute.toolType]: 'function' } as const;

/** Metrics that the GenAI conventions name. */
export const genAiMetric = {
  agent_duration: { name: 'gen_ai.invoke_agent.duration', unit: 's' },
  agent_model_calls: { name: 'gen_ai.invoke_agent.inference_calls', unit: '{inference_call}' },
  agent_tool_calls: { name: 'gen_ai.invoke_agent.tool_calls', unit: '{tool_call}' },
  model_duration: { name: 'gen_ai.client.inference.duration', unit: 's', attributes: inModel },
  model_first_chunk: { name: 'gen_ai.client.inference.time_to_first_chunk', unit: 's', attributes: inModel },
  input_tokens: { name: 'gen_ai.client.inference.usage.input_tokens', unit: '{token}', attributes: inText },
  cached_tokens: {
    name: 'gen_ai.client.inference.usage.cache_read.input_tokens',
    unit: '{token}',
    attributes: inText,
  },
  output_tokens: { name: 'gen_ai.client.inference.usage.output_tokens', unit: '{token}', attributes: inText },
  reasoning_tokens: {
    name: 'gen_ai.client.inference.usage.reasoning.output_tokens',
    unit: '{token}',
    attributes: inText,
  },
  tool_duration: { name: 'gen_ai.execute_tool.duration', unit: 's', attributes: inTool },
} as const satisfies Readonly<Record<GenAiName, MetricTerm>>;

/** What Prometheus is shown, where the GenAI conventions have no name for it. Those with `undefined` have one there. */
export const axleMetric: Readonly<Record<MetricName, MetricTerm | undefined>> = {
  axle_build_info: { name: 'axle.build.info', unit: '1' },
  axle_runs_total: { name: 'axle.runs', unit: '{run}' },
  axle_run_duration_seconds: { name: 'axle.run.duration', unit: 's' },
  axle_runs_in_hand: { name: 'axle.runs.in_hand', unit: '{run}' },
  axle_runs: { name: 'axle.runs.open', unit: '{run}' },
  axle_steps_total: { name: 'axle.steps', unit: '{step}' },
  axle_model_calls_total: { name: 'axle.model.calls', unit: '{call}' },
  axle_model_call_duration_seconds: undefined,
  axle_model_time_to_first_chunk_seconds: undefined,
  axle_tokens_total: undefined,
  axle_tool_calls_total: { name: 'axle.tool.calls', unit: '{call}' },
  axle_tool_call_duration_seconds: undefined,
  axle_tool_attempts_total: { name: 'axle.tool.attempts', unit: '{attempt}' },
  axle_tool_attempt_duration_seconds: { name: 'axle.tool.attempt.duration', unit: 's' },
  axle_tool_repairs_total: { name: 'axle.tool.repairs', unit: '{repair}', labels: { kind: 'axle.repair.rule' } },
  axle_tool_refusals_total: { name: 'axle.tool.refusals', unit: '{intent}' },
  axle_tool_cache_hits_total: { name: 'axle.tool.cache_hits', unit: '{call}' },
  axle_tool_fallbacks_total: { name: 'axle.tool.fallbacks', unit: '{call}' },
  axle_tool_drifts_total: { name: 'axle.tool.drifts', unit: '{answer}' },
  axle_policy_decisions_total: { name: 'axle.policy.decisions', unit: '{decision}' },
  axle_approvals_pending: { name: 'axle.approvals.pending', unit: '{call}' },
  axle_approval_wait_seconds: { name: 'axle.approval.wait.duration', unit: 's' },
  axle_authorizations_pending: { name: 'axle.authorizations.pending', unit: '{call}' },
  axle_in_doubt_calls: { name: 'axle.doubts.open', unit: '{call}' },
  axle_doubts_total: { name: 'axle.doubts', unit: '{call}' },
  axle_breaker_state: { name: 'axle.breaker.state', unit: '1' },
  axle_breaker_transitions_total: { name: 'axle.breaker.transitions', unit: '{transition}' },
  axle_rate_limit_wait_seconds: { name: 'axle.rate_limit.wait.duration', unit: 's' },
  axle_admissions_refused_total: { name: 'axle.admissions.refused', unit: '{attempt}' },
  axle_queue_depth: { name: 'axle.queue.depth', unit: '{call}' },
  axle_resume_total: { name: 'axle.resumes', unit: '{run}' },
  axle_entries_total: { name: 'axle.entries', unit: '{entry}' },
  axle_appends_total: { name: 'axle.appends', unit: '{append}' },
  axle_checkpoint_duration_seconds: { name: 'axle.checkpoint.duration', unit: 's' },
  axle_store_errors_total: { name: 'axle.store.errors', unit: '{error}' },
  axle_observer_errors_total: { name: 'axle.observer.errors', unit: '{error}' },
  process_start_time_seconds: undefined,
  process_resident_memory_bytes: { name: 'axle.process.memory', unit: 'By' },
  process_cpu_seconds_total: { name: 'process.cpu.time', unit: 's' },
};

/** The attribute of a label. */
export const labelAttribute: Readonly<Record<string, string>> = {
  agent: attribute.agentName,
  answered_by: attribute.responseModel,
  code: attribute.errorType,
  decision: attribute.decision,
  error: attribute.errorType,
  error_class: 'axle.error.class',
  kind: attribute.runKind,
  model: attribute.requestModel,
  operation: 'axle.store.operation',
  node: 'process.runtime.version',
  outcome: 'axle.outcome',
  reason: attribute.reason,
  result: 'axle.resume.result',
  stage: 'axle.checkpoint.stage',
  state: 'axle.run.state',
  to: 'axle.breaker.to',
  tool: attribute.toolName,
  upstream: attribute.upstream,
  verdict: attribute.verdict,
  version: attribute.serviceVersion,
};
