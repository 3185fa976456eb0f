/**
 * What the HTTP API says: the types of the requests and answers of `/v1`, for the server, the debugger and every client in TypeScript. Types only.
 *
 * W1 Times are milliseconds since 1970 in fields that end in `AtMs`, lengths of time in fields that end in `Ms`.
 * W2 Fields are added, never changed: a client passes over what it does not know.
 * W3 Ids of approvals and calls in doubt are `run/call`; in a path the stroke is written `%2F`.
 */
import type { Effect, Risk } from '../call/effect.ts';
import type { ErrorClass, ErrorCode } from '../error/catalogue.ts';
import type { UpstreamView } from '../execute/upstreams/upstreams.ts';
import type { OpenAuthorization } from '../facade/answers.ts';
import type { RunResult } from '../facade/run-result.ts';
import type { NotedDrift } from '../journal/drift-book.ts';
import type { Entry, RunEnding, RunKind, RunLimits } from '../journal/entry.ts';
import type { RunStatus, UpstreamAction, WaitReason } from '../journal/store.ts';
import type { StreamEvent } from '../live/stream-event.ts';
import type { LogLevel } from '../run/engine.ts';
import type { ToolStatistics } from '../trace/tool-statistics.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** A part of a list. `next` is handed in as `cursor` to get what follows; absent at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** Every answer that is no success (RFC 9457, `application/problem+json`). */
export interface Problem {
  /** Where the code is explained. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** What happened, with which value. */
  readonly detail: string;
  readonly code: ErrorCode;
  readonly class: ErrorClass;
  readonly remedy: string;
  readonly details?: JsonObject;
  readonly effectMayHaveHappened?: true;
}

/** What a run came to so far, counted from its journal. */
export interface RunRowTotals {
  /** Requests to a model, those that failed and those under way included. */
  readonly modelCalls: number;
  /** Calls that were taken up; one that was refused for its arguments is none. */
  readonly toolCalls: number;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  /** Of these requests and calls, how many failed. */
  readonly errors: number;
  readonly approvals: number;
  readonly doubts: number;
}

/** A run as lists show it. */
export interface RunRow {
  readonly runId: string;
  readonly kind: RunKind;
  /** Name of the agent, or of the tool of a single call; the run that an undo takes back. */
  readonly subject: string;
  readonly session?: string;
  readonly key?: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly epoch: number;
  /** Sequence number of the last entry. */
  readonly seq: number;
  readonly state: RunStatus['state'];
  readonly ending?: RunEnding;
  readonly wakeAtMs?: number;
  readonly waitingOn: readonly WaitReason[];
  readonly steps: number;
  /** True while something is posted to the run that it has not taken in. */
  readonly hasPosts: boolean;
  /** The first line of what was asked, at most 200 characters. */
  readonly goal?: string;
  /** Absent in a list when counting would have taken too long; ask for the run alone then. */
  readonly totals?: RunRowTotals;
}

/** Runs of the store by where they stand. */
export interface RunCounters {
  readonly active: number;
  readonly waiting: number;
  readonly held: number;
  /** Of those that wait or are active: runs with an open approval. */
  readonly askingApproval: number;
  /** Runs that wait for a login or a permission. */
  readonly askingAuthorization: number;
  /** Runs with a call in doubt that a person must settle. */
  readonly inDoubt: number;
  /** Runs that failed or were stopped in the last 24 hours. */
  readonly failedLastDay: number;
  /** False when there are more runs than were looked through: then the counts are lower bounds. */
  readonly isComplete: boolean;
}

/** `POST /v1/runs`, with an `Idempotency-Key`. */
export interface StartRunRequest {
  readonly agent: string;
  readonly input: string;
  readonly session?: string;
  readonly context?: JsonObject;
}

/** `POST /v1/calls`, with an `Idempotency-Key`. `?wait=SECONDS` says how long its result is waited for. */
export interface StartCallRequest {
  readonly tool: string;
  readonly input: JsonValue;
  readonly session?: string;
  readonly context?: JsonObject;
}

export interface StartedCall {
  readonly run: RunRow;
  /** Present when the call ended, or came to wait for a person, in the time that was waited. */
  readonly result?: RunResult;
}

/** `GET /v1/runs/{id}/result`. `pending` when the time that was waited is over first. */
export type ResultAnswer = RunResult | { readonly status: 'pending'; readonly runId: string };

export interface MessageRequest {
  readonly text: string;
}

export interface CancelRequest {
  readonly reason?: string;
  readonly by?: string;
}

/** The answer to what was only taken in: it is durable, and the driver acts on it. */
export interface Accepted {
  readonly runId: string;
  readonly accepted: true;
}

export interface UndoRequest {
  readonly calls?: readonly string[];
  readonly onProblem?: 'stop' | 'skip';
  readonly cancel?: boolean;
  readonly again?: boolean;
}

/** Committed entries: `GET /v1/runs/{id}/entries`. Large bodies stand as `{ "$body": hash, "sizeBytes": n }`. */
export interface EntryRow {
  /** `epoch.seq` */
  readonly id: string;
  readonly seq: number;
  readonly epoch: number;
  readonly atMs: number;
  readonly entry: Entry;
}

/** An open question to a person: may this call run, with exactly these arguments? */
export interface ApprovalItem {
  readonly approvalId: string;
  /** Goes back as `If-Match`. */
  readonly etag: string;
  readonly runId: string;
  readonly callId: string;
  /** Of the run: its agent or tool. */
  readonly subject: string;
  readonly goal?: string;
  readonly tool: string;
  readonly toolVersion: number;
  readonly effect: Effect;
  readonly risk?: Risk;
  readonly isIrreversible?: boolean;
  readonly input: JsonValue;
  /** JSON Schema of the arguments, when the tool is known here. */
  readonly inputSchema?: JsonValue;
  /** Why a person is asked, in the words of the policy. */
  readonly reason: string;
  /** What the model wrote beside the call: its own words, not a fact. */
  readonly statedReason?: string;
  readonly askedAtMs?: number;
  readonly expiresAtMs: number;
}

/** `POST /v1/approvals/{id}` with `If-Match`. */
export interface ApprovalRequest {
  readonly decision: 'approve' | 'deny';
  readonly edit?: JsonValue;
  readonly note?: string;
  readonly by?: string;
}

/** A login or a permission that calls wait for. */
export interface AuthorizationItem extends OpenAuthorization {
  /** Goes back as `If-Match`. */
  readonly etag: string;
  readonly subject: string;
  readonly goal?: string;
}

/** `POST /v1/authorizations/{id}` with `If-Match`. */
export interface AuthorizationRequest {
  readonly granted: boolean;
  readonly note?: string;
  readonly by?: string;
}

/** A side effect that was started, of which nobody knows whether it happened. */
export interface DoubtItem {
  /** `run/call` */
  readonly id: string;
  /** Goes back as `If-Match`. */
  readonly etag: string;
  readonly runId: string;
  readonly callId: string;
  readonly subject: string;
  readonly goal?: string;
  readonly tool: string;
  readonly toolVersion: number;
  readonly effect: Effect;
  readonly input: JsonValue;
  readonly reason: 'crash' | 'no-answer';
  readonly attempt: number;
  /** What the upstream may find it by. */
  readonly idempotencyKey: string;
  readonly doubtedAtMs?: number;
  /** JSON Schema of the output, when the tool declares one and is known here. */
  readonly outputSchema?: JsonValue;
}

/** `POST /v1/doubts/{id}` with `If-Match`. */
export type DoubtRequest = (
  | { readonly happened: true; readonly output?: JsonValue }
  | { readonly happened: false; readonly then?: 'retry' | 'fail' }
) & { readonly note?: string; readonly by?: string };

export interface ToolRow {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  /** True for the version that new runs get. */
  readonly isNewest: boolean;
  /** True when it was replaced or removed, and is kept for runs that began with it. */
  readonly isRetained: boolean;
  readonly description: string;
  readonly effect: Effect;
  readonly risk: Risk;
  readonly isIrreversible: boolean;
  /** The service behind it, when it has limits or a breaker: see `/v1/upstreams`. */
  readonly upstream?: string;
  /** Tools that take its calls while it is down, in order. */
  readonly fallback: readonly string[];
  readonly canVerify: boolean;
  readonly canUndo: boolean;

  /** How often it answered in another form than it declares. */
  readonly drifts: number;
}

export interface ToolDetail extends ToolRow {
  readonly versions: readonly number[];
  readonly inputSchema: JsonValue;
  readonly outputSchema?: JsonValue;
  readonly examples: readonly { readonly input: JsonValue; readonly output?: JsonValue }[];
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly drift: readonly NotedDrift[];
}

/** `GET /v1/tool-statistics` */
export interface ToolStatisticsAnswer {
  /** Tools that were asked for, those with the most calls first. */
  readonly items: readonly ToolStatistics[];
  /** What it was counted over. */
  readonly over: {
    /** The runs that began last, of those that were asked for. */
    readonly runs: number;
    /** More of them that this answer did not come to; the next one goes on with them. */
    readonly skipped: number;
    /** Runs of `runs` that are so long that only their beginning counts. */
    readonly cut: number;
    /** When the oldest of them was accepted; absent when there are no runs. */
    readonly sinceMs?: number;
  };
}

export type { ToolStatistics } from '../trace/tool-statistics.ts';

export interface AgentRow {
  readonly name: string;
  readonly model: string;
  readonly instructions: string;
  /** Names and patterns of the tools that it is granted. */
  readonly tools: readonly string[];
  readonly limits: RunLimits;
}

export type UpstreamItem = UpstreamView;

/** `POST /v1/upstreams/{name}` */
export interface UpstreamRequest {
  readonly action: UpstreamAction;
  readonly by?: string;
  readonly reason?: string;
}

export type Scope = 'read' | 'run' | 'approve' | 'admin';

/** `GET /v1/system` */
export interface SystemAnswer {
  readonly name: 'axle';
  readonly version: string;
  readonly storeId: string;
  /** A client reads, starts and answers; another process drives the runs. */
  readonly role: 'driver' | 'client';
  readonly isReadOnly: boolean;
  readonly isDraining: boolean;
  /** True when requests must carry a token. */
  readonly needsToken: boolean;
  /** What the caller may do. */
  readonly scopes: readonly Scope[];
  /** The name of the caller's token. */
  readonly caller?: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly node: string;
  readonly memoryBytes: number;
  readonly counters: RunCounters;
  /** Listeners of event streams now. */
  readonly listeners: number;
}

/** One line of the log of this process about a run, from a bounded memory: `GET /v1/runs/{id}/logs`. */
export interface LogLine {
  /** Rises over the process; handed in as `after`. */
  readonly number: number;
  readonly atMs: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: JsonObject;
}

export interface LogAnswer {
  readonly items: readonly LogLine[];
  /** Lines that were here and had to make room. */
  readonly lost: number;
}

/** What `/v1/events` tells, for lists. */
export type ListEvent =
  | ({ readonly kind: 'run-changed' } & Pick<RunRow, 'runId' | 'seq' | 'state' | 'ending' | 'steps' | 'updatedAtMs'>)
  | ({ readonly kind: 'counters' } & RunCounters);

/** What `/v1/runs/{id}/events` tells. The id of each event is that of the stream; what is no entry is provisional. */
export type RunStreamEvent = StreamEvent | StreamFailed;

/** The last event of a stream that the server had to end; the client comes back with the last id. */
export interface StreamFailed {
  readonly kind: 'failed';
  readonly problem: Problem;
}

/** The spans of a run as columns: `GET /v1/runs/{id}/spans`. */
export type { SpanTable } from '../trace/table/span-table.ts';

/** Everything of one span: `GET /v1/runs/{id}/spans/{spanId}`. */
export type { SpanDetail } from '../inspect/span-detail.ts';
/** `GET /v1/runs/{id}/context/{seq}` */
export type { ContextView } from '../inspect/context/context-view.ts';
/** `GET /v1/runs/{id}/state` */
export type { StateAt } from '../inspect/state/state-at.ts';
/** `GET /v1/runs/{id}/decisions` */
export type { DecisionRow } from '../trace/story/decisions.ts';
/** `GET /v1/runs/{id}/transcript` */
export type { TranscriptLine } from '../trace/story/transcript.ts';
/** `GET /v1/compare` */
export type { RunComparison } from '../replay/run-comparison.ts';
/** `GET /v1/runs/{id}/diagnosis` */
export type { Diagnosis } from '../diagnose/diagnose.ts';
/** `POST /v1/runs/{id}/replay` */
export type { ReplayReport } from '../replay/replay-report.ts';

export interface ReplayRequest {
  /** The step whose entries are told one by one. */
  readonly step?: number;
}
