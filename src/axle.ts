/** The package `axle`: declare tools and agents, open Axle on a store, start runs. */
export type { Axle, CloseOptions } from './facade/axle.ts';
export { createAxle } from './facade/create-axle.ts';
export { defineConfig, type AxleConfig } from './facade/define-config.ts';
export type { AxleOptions, Observed, Observer, Ports, ToolSource } from './facade/options.ts';
export type { RemoveOptions, ReplaceOptions, Tools } from './facade/tools.ts';
export { RunContext, type ContextChange, type SubscribeOptions } from './facade/run-context.ts';
export { RunHandle, type ResultOptions, type RunEvent } from './facade/run-handle.ts';
export type { StreamOptions } from './live/read-stream.ts';
export type { ResetReason, StreamEvent } from './live/stream-event.ts';
export {
  keepAliveComment,
  readStreamEvent,
  type ServerSentEvent,
  ServerSentEventReader,
  toServerSentEvent,
} from './live/server-sent-events.ts';
export type { AgUiEvent } from './live/ag-ui/ag-ui-event.ts';
export { toAgUi } from './live/ag-ui/ag-ui-encoder.ts';
export type { EndedRun, RunResult, WaitingRun } from './facade/run-result.ts';
export type { ListedAgent } from './facade/running-agent.ts';
export type {
  ApprovalAnswer,
  AuthorizationAnswer,
  DoubtAnswer,
  OpenApproval,
  OpenAuthorization,
  OpenDoubt,
} from './facade/answers.ts';
export type { UndoOptions } from './facade/undo-run.ts';
export type { ForkOptions } from './facade/fork-options.ts';
export type { ReplayOptions } from './replay/replay-run.ts';
export type { ReplayDifference, ReplayedEntry, ReplayLaw, ReplayReport, Unchecked } from './replay/replay-report.ts';
export type {
  BlockDifference,
  ComparedCall,
  ComparedRun,
  ComparedStep,
  DifferenceKind,
  RunComparison,
  StepComparison,
  StepDifference,
} from './replay/run-comparison.ts';
export type { Diagnosis } from './diagnose/diagnose.ts';
export type { Evidence, FaultCode, LikelyFault } from './diagnose/likely-fault.ts';
export type { StartOptions } from './facade/start-run.ts';
export type { UpstreamOrders, UpstreamWord } from './facade/upstream-orders.ts';
export { jsonLinesLog } from './facade/json-lines-log.ts';
export { agent, type Agent, type AgentDeclaration } from './run/agent.ts';
export type { LiveEvent, Log, Watcher } from './run/engine.ts';
export { contextKey, type ContextKeyOptions } from './contract/context/context-key.ts';
export type { UpstreamParts } from './execute/upstreams/in-process.ts';
export type { Upstreams, UpstreamView } from './execute/upstreams/upstreams.ts';
export { contractFolder, type ContractFolder, type ContractFolderOptions } from './contract-folder/contract-folder.ts';
export type { FileProblem } from './contract-folder/contract-file.ts';
export { tool } from './contract/tool.ts';
export { lintTools, type LintedTool, type LintOptions, type LintReport } from './contract/lint/lint-tools.ts';
export type { Finding } from './contract/lint/rule.ts';
export { ToolError } from './contract/tool-error.ts';
export type { ListedTool } from './contract/live-tools.ts';
export type { Contract, Migration, Migrations, ToolContext, VerifyAnswer } from './contract/contract.ts';
export type { Brain, BrainAnswer, BrainDelta, BrainRequest } from './brain/brain.ts';
export { defaultPolicy } from './policy/default-policy.ts';
export type { CallFacts, Policy } from './policy/policy.ts';
export { AxleError, isAxleError } from './error/axle-error.ts';
export { errorCatalogue, type ErrorClass, type ErrorCode } from './error/catalogue.ts';
export type { Effect, Risk } from './call/effect.ts';
export type { AuthorizationPlace, Failure, Outcome } from './call/outcome.ts';
export type { ToolDefinition } from './call/tool-definition.ts';
export type { Append, Entry } from './journal/entry.ts';
export type { DriftBook, NotedDrift } from './journal/drift-book.ts';
export type { KeptResult, ResultCache } from './journal/result-cache.ts';
export type { RunStatus, RunSummary, Store, WaitReason } from './journal/store.ts';
export { openSqliteStore } from './journal/sqlite/sqlite-store.ts';
export { createMemoryStore } from './journal/memory/memory-store.ts';
