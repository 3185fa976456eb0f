/**
 * Entries: the words of the journal, noun-verb, each listed in `docs/events.md`.
 *
 * E1 An entry is plain JSON data. Its form never changes in place: a new form gets a new `formatVersion` and an upcaster (`upcast.ts`).
 * E2 Nothing derived is stored: what `evolve` can compute from earlier entries is not repeated.
 * E3 An entry that names a call uses the call id inside the run (`3.0`), never the model's id.
 */
import type { BoundCall } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import type { FinishReason, ModelPart, Usage } from '../call/message.ts';
import type { AttemptResult, Failure, Outcome } from '../call/outcome.ts';
import type { ContractPin } from '../call/pin.ts';
import type { OnProblem, UndoStep } from '../call/undo.ts';
import type { JsonValue } from '../util/json.ts';
import type { AuthorizationAnswered, AuthorizationExpired, AuthorizationRequested } from './authorization-entries.ts';
import type { CancelRequested, MessageReceived, PostRefused } from './posted-entries.ts';
import type { CallRecorded, RunFork } from './fork-entries.ts';
import type { AdmissionRefused, BreakerChanged, CallAdmitted } from './upstream-entries.ts';

/** Version of the form of all entries. Written in each append; older ones are upcast when they are read. */
export const formatVersion = 3;

/** Limits of a run. */
export interface RunLimits {
  /** Model calls at most. */
  readonly steps: number;
  /** Milliseconds of work at most; waits for people and timers are not counted. */
  readonly workMs: number;
}

/** How many of its tools an agent's model is shown at a time. */
export interface ToolViewLimits {
  /** Tools shown at most, `find_tools` among them. */
  readonly most: number;
  /** Names of tools that are always shown. */
  readonly always: readonly string[];
}

/** What an agent run pins when it is accepted. */
export interface AgentPin {
  readonly name: string;
  readonly hash: string;
  readonly instructions: string;
  readonly model: string;
  readonly limits: RunLimits;
  /** What a doubt does when `verify` cannot settle it: ask a person, or tell the model. */
  readonly onDoubt: 'ask' | 'tell';
  /** What an answer without calls does: end the run, or wait for the next message. */
  readonly onAnswer: 'finish' | 'wait';
  readonly approvalTtlMs: number;
  readonly settings: JsonValue;
  /** The name under which `createAxle({ models })` knows its model, for a run that goes on with another than its agent's. */
  readonly modelName?: string;
  /** Present when the model is shown a part of the tools and finds the others with `find_tools`. */
  readonly toolView?: ToolViewLimits;
}

export type Durability = (typeof durabilities)[number];

export const durabilities = ['effects', 'strict'] as const;

/** What a run was asked to do. A `RunKind` names the decider that drives it. */
export type RunTask =
  | {
      readonly kind: 'agent';
      readonly input: string;
      readonly agent: AgentPin;
      readonly contracts: readonly ContractPin[];
    }
  | {
      readonly kind: 'call';
      readonly tool: string;
      readonly input: JsonValue;
      readonly contracts: readonly ContractPin[];
      readonly approvalTtlMs: number;
    }
  /** Takes back what another run did, the last effect first. */
  | {
      readonly kind: 'undo';
      /** The run that is taken back. */
      readonly of: string;
      /** The calls that were asked for; absent for all. */
      readonly only?: readonly string[];
      /** In the order in which they are taken back. */
      readonly steps: readonly UndoStep[];
      readonly onProblem: OnProblem;
      readonly contracts: readonly ContractPin[];
      readonly approvalTtlMs: number;
    };

/** Whom a task is for: the agent, the tool of a single call, the run that an undo takes back. */
export function subjectOf(task: RunTask): string {
  switch (task.kind) {
    case 'agent':
      return task.agent.name;
    case 'call':
      return task.tool;
    case 'undo':
      return task.of;
  }
}

export type RunKind = (typeof runKinds)[number];

export const runKinds = ['agent', 'call', 'undo'] as const satisfies readonly RunTask['kind'][];

export interface RunAccepted {
  readonly type: 'run-accepted';
  readonly runId: string;
  readonly task: RunTask;
  readonly durability: Durability;
  readonly key?: string;
  readonly session?: string;
  /** Context keys that the caller has set. */
  readonly context?: Readonly<Record<string, { readonly value: JsonValue; readonly version: number }>>;
  /** The trace id belongs to the run and survives restarts: 32 hex digits. */
  readonly traceId: string;
  /** Present when it goes on from a step of another run. */
  readonly fork?: RunFork;
}
/** A driver has taken the run. What an earlier epoch left open is lost from here on. */
export interface RunClaimed {
  readonly type: 'run-claimed';
  readonly worker: string;
}
export interface RunHeld {
  readonly type: 'run-held';
  readonly reason: string;
  readonly remedy: string;
  /** The tool whose contract is missing or has changed. */
  readonly tool?: string;
  readonly details?: JsonValue;
}
export interface RunReleased {
  readonly type: 'run-released';
}
/** The same name and version came back with another hash, equal in schema and effect. */
export interface ContractRebound {
  readonly type: 'contract-rebound';
  readonly contract: ContractPin;
}
/** The run goes on with another version of a tool. What the migration made of its open calls is here, and is never computed again. */
export interface ContractMigrated {
  readonly type: 'contract-migrated';
  readonly fromVersion: number;
  /** The version that counts from now on. */
  readonly contract: ContractPin;
  /** Open calls under their new arguments; they are judged anew. */
  readonly calls?: readonly BoundCall[];
  /** Arguments of intents of the open turn that are not bound yet, by their place in it. */
  readonly intents?: readonly { readonly place: number; readonly argumentsText: string }[];
  /** Outputs of earlier calls, as the new version has them: those that set context keys, and the newest. */
  readonly outputs?: readonly { readonly callId: string; readonly output: JsonValue }[];
}
/** How a run ends: `completed` with an answer; `stopped` by one of its limits; `failed` by a fault; `cancelled` on request. */
export type RunEnding = (typeof runEndings)[number];

export const runEndings = ['completed', 'failed', 'stopped', 'cancelled'] as const;

export interface RunFinished {
  readonly type: 'run-finished';
  readonly ending: RunEnding;
  /** The answer, or the partial result of a run that did not complete. */
  readonly output: JsonValue;
  readonly failure?: Failure;
}

export interface ModelStarted {
  readonly type: 'model-started';
  readonly step: number;
  readonly attempt: number;
  /** What the model is shown, as a difference: how many transcript items it sees, and the rolling hash over instructions, tools and all of them. */
  readonly items: number;
  readonly contextHash: string;
  /** Hash of the tool definitions shown, written when it differs from the model call before. */
  readonly toolsHash?: string;
  /** Names of the tools shown, written with `toolsHash` when they are a part of those that were granted. */
  readonly tools?: readonly string[];
}
export interface ModelFinished {
  readonly type: 'model-finished';
  readonly parts: readonly ModelPart[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly tookMs: number;
  /** What made the output unreadable, when it was. */
  readonly unreadable?: string;
  /** The model that really answered, when the provider says so. */
  readonly respondedAs?: string;
}
export interface ModelFailed {
  readonly type: 'model-failed';
  readonly failure: Failure;
  readonly tookMs: number;
  /** When it is tried again; absent when it is not. */
  readonly retryAtMs?: number;
}

export interface CallBound {
  readonly type: 'call-bound';
  readonly call: BoundCall;
}
/** An intent that could not become a call; the failure goes to the model, unless it is a mere repetition. */
export interface CallRefused {
  readonly type: 'call-refused';
  readonly callId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly argumentsText: string;
  /** The tool whose arguments they were to be; absent where the name means no tool, and for a repetition. */
  readonly tool?: string;
  readonly failure: Failure;
  /** A repetition of a call of the same turn: it leaves no trace in the history. */
  readonly dropped?: true;
}
export interface CallDecided {
  readonly type: 'call-decided';
  readonly callId: string;
  readonly decision: Decision;
  /** Present when a person is asked: the id and when the question expires. */
  readonly approval?: { readonly approvalId: string; readonly expiresAtMs: number };
}
export interface ApprovalAnswered {
  readonly type: 'approval-answered';
  readonly approvalId: string;
  readonly callId: string;
  /** The arguments that the answer was given for. */
  readonly argsHash: string;
  readonly verdict: 'approve' | 'deny';
  /** The call with the arguments that the person wrote, already bound; the answer counts for these. */
  readonly edited?: BoundCall;
  readonly note?: string;
  readonly by?: string;
}
export interface ApprovalExpired {
  readonly type: 'approval-expired';
  readonly approvalId: string;
  readonly callId: string;
}
/** Committed before the world is touched; for a side effect also synced. */
export interface AttemptStarted {
  readonly type: 'attempt-started';
  readonly callId: string;
  readonly attempt: number;
  /** The approval that this attempt uses up. */
  readonly approvalId?: string;
}
/** Committed before anyone uses the result. */
export interface AttemptFinished {
  readonly type: 'attempt-finished';
  readonly callId: string;
  readonly attempt: number;
  readonly result: AttemptResult;
  readonly tookMs: number;
  /** The sandbox driver that ran the program. Absent for a function, which runs in process, and for a program that did not begin. */
  readonly sandbox?: string;
}
export interface RetryScheduled {
  readonly type: 'retry-scheduled';
  readonly callId: string;
  /** The number of the attempt that will be made. */
  readonly attempt: number;
  readonly dueAtMs: number;
}
/**
 * The tool that has the call is down, and the next one of its chain takes it: the call is bound again, so policy judges the new tool and approvals bind the new
 * arguments. What maps one tool's arguments to another's ran before this was written.
 */
export interface CallFellBack {
  readonly type: 'call-fell-back';
  readonly callId: string;
  /** The place of the new tool in the chain, from 1. */
  readonly link: number;
  readonly call: BoundCall;
  /** Tools of the chain that could not take the call, and why. */
  readonly skipped?: readonly SkippedLink[];
}
export interface SkippedLink {
  readonly tool: string;
  readonly reason: string;
}
/** The call is answered by a kept result and settled by it: no attempt is made. */
export interface CallCached {
  readonly type: 'call-cached';
  readonly callId: string;
  readonly output: JsonValue;
  /** The call that the result was brought by. */
  readonly from: { readonly runId: string; readonly callId: string };
  /** How long before its attempt had begun. */
  readonly ageMs: number;
}
export interface CallDoubted {
  readonly type: 'call-doubted';
  readonly callId: string;
  readonly attempt: number;
  readonly reason: 'crash' | 'no-answer';
  /** When `verify` may be asked; absent when the contract has none. */
  readonly verifyAtMs?: number;
}
export interface VerifyStarted {
  readonly type: 'verify-started';
  readonly callId: string;
  readonly round: number;
}
export type Verdict =
  | { readonly kind: 'happened'; readonly output: JsonValue }
  | { readonly kind: 'not-happened'; readonly then: 'retry' | 'fail' }
  | { readonly kind: 'unknown' };
export interface VerifyFinished {
  readonly type: 'verify-finished';
  readonly callId: string;
  readonly round: number;
  readonly verdict: Verdict;
  readonly failure?: Failure;
  readonly tookMs: number;
  /** When `verify` runs again; absent when it is not tried again. */
  readonly retryAtMs?: number;
}
/** A doubt is over. Nothing else ends one, and time alone never does. */
export interface CallResolved {
  readonly type: 'call-resolved';
  readonly callId: string;
  readonly verdict: Exclude<Verdict, { kind: 'unknown' }> | { readonly kind: 'told' };
  readonly by: 'verify' | 'person' | 'evidence' | 'policy';
  readonly note?: string;
  /** The name of the person who said so. */
  readonly person?: string;
}
/** A result that came after its attempt had been given up. It settles a doubt; it never replaces an outcome. */
export interface EvidenceReceived {
  readonly type: 'evidence-received';
  readonly callId: string;
  readonly attempt: number;
  readonly result: AttemptResult;
}
export interface CallSettled {
  readonly type: 'call-settled';
  readonly callId: string;
  readonly status: Outcome['status'];
  /** The outcome, when it is not simply the output of the last attempt or resolution. */
  readonly outcome?: Outcome;
}
export interface TimerFired {
  readonly type: 'timer-fired';
}
export type Entry =
  | RunAccepted
  | RunClaimed
  | RunHeld
  | RunReleased
  | ContractRebound
  | ContractMigrated
  | RunFinished
  | ModelStarted
  | ModelFinished
  | ModelFailed
  | CallBound
  | CallRefused
  | CallDecided
  | ApprovalAnswered
  | ApprovalExpired
  | CallAdmitted
  | AdmissionRefused
  | BreakerChanged
  | AttemptStarted
  | AttemptFinished
  | RetryScheduled
  | AuthorizationRequested
  | AuthorizationAnswered
  | AuthorizationExpired
  | CallFellBack
  | CallCached
  | CallRecorded
  | CallDoubted
  | VerifyStarted
  | VerifyFinished
  | CallResolved
  | EvidenceReceived
  | CallSettled
  | TimerFired
  | MessageReceived
  | CancelRequested
  | PostRefused;

export type EntryType = Entry['type'];

/** The entries that go on with a call that has begun: `call-bound` and `call-refused` begin one. */
export type CallEntry = Exclude<Extract<Entry, { readonly callId: string }>, CallRefused>;

/** True for an entry that goes on with a call that has begun. */
export function isCallEntry(entry: Entry): entry is CallEntry {
  return 'callId' in entry && entry.type !== 'call-refused';
}

/**
 * 1 to n entries written as one: all of them are durable, or none.
 * Entries have a dense sequence over the run: `firstSeq`, `firstSeq + 1`, and so on.
 */
export interface Append {
  readonly firstSeq: number;
  readonly epoch: number;
  /** The largest time this run has seen, in milliseconds since 1970: never smaller than that of the append before. */
  readonly atMs: number;
  readonly entries: readonly Entry[];
}

/** The sequence number of the last entry of an append. */
export function lastSeqOf({ firstSeq, entries }: Pick<Append, 'firstSeq' | 'entries'>): number {
  return firstSeq + entries.length - 1;
}
