/**
 * A trace: the journal of a run as spans, for people. Everything in it comes from entries; nothing of it is stored.
 *
 * Times are milliseconds since 1970, as the appends carry them. A span without `endMs` is open: the journal does not say yet how it went on.
 */
import type { Repair } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import type { Effect } from '../call/effect.ts';
import type { FinishReason, ModelPart, Usage } from '../call/message.ts';
import type { FilledArgument } from '../call/publication.ts';
import type { AttemptResult, Failure, Outcome } from '../call/outcome.ts';
import type { CallResolved, RunEnding, SkippedLink, RunKind, Verdict } from '../journal/entry.ts';
import type { ForkChange } from '../journal/fork-entries.ts';
import type { BreakerKind } from '../journal/upstream-entries.ts';
import type { JsonValue } from '../util/json.ts';

/** Where a span stands in time and in the journal. */
export interface SpanPlace {
  /** Unique in the trace; the same for every prefix of the journal that has the span. */
  readonly id: string;
  /** The epoch that began it. */
  readonly epoch: number;
  /** The entry that began it. */
  readonly seq: number;
  readonly startMs: number;
  readonly endMs?: number;
}

/** What was cut off by the end of its driver ended at some time between `lastSeenMs` and the end of its span. */
export interface Lost {
  readonly status: 'lost';
  readonly lastSeenMs: number;
}

/** One call of the model: its attempts and the waits between them. */
export interface ModelSpan extends SpanPlace {
  readonly kind: 'model';
  readonly step: number;
  readonly children: readonly (ModelAttemptSpan | WaitSpan)[];
}

export interface ModelAttemptSpan extends SpanPlace {
  readonly kind: 'model-attempt';
  readonly attempt: number;
  /** How many items of the conversation the model saw. */
  readonly items: number;
  /** How many tools it was shown, when they were a part of those that its agent has. */
  readonly shownTools?: number;
  readonly contextHash: string;
  readonly end?: ModelAnswered | { readonly status: 'failed'; readonly failure: Failure } | Lost;
}

export interface ModelAnswered {
  readonly status: 'answered';
  /** The raw output of the model, part by part. */
  readonly parts: readonly ModelPart[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly unreadable?: string;
  readonly respondedAs?: string;
}

/** A call from the model's intent to its outcome. A refused intent has a `refusal` and never began. */
export interface CallSpan extends SpanPlace {
  readonly kind: 'call';
  readonly callId: string;
  readonly tool: string;
  readonly effect?: Effect;
  /** What it ran with, after repairs and a person's edit. */
  readonly input?: JsonValue;
  /** The arguments as the model wrote them. */
  readonly argumentsText?: string;
  readonly repairs: readonly Repair[];
  /** Arguments that were filled in from the context of the run. */
  readonly filled?: readonly FilledArgument[];
  /** Context keys that it set. */
  readonly published?: readonly { readonly key: string; readonly value: JsonValue }[];
  readonly refusal?: { readonly failure: Failure; readonly dropped: boolean };
  readonly decision?: Decision;
  readonly outcome?: Outcome;
  /** The run that took it back, where that is known (`undone.ts`). */
  readonly undoneBy?: string;
  /** The call whose kept result answered this one, without an attempt. */
  readonly cached?: { readonly runId: string; readonly callId: string; readonly ageMs: number };
  /** The call of the run that this one goes on from whose result answered this one: nothing was performed. */
  readonly recorded?: { readonly callId: string };
  /** Of the attempt that is about to begin. */
  readonly admission?: AttemptSpan['admission'] & {};
  readonly children: readonly CallPart[];
}

export type CallPart = AttemptSpan | WaitSpan | DoubtSpan | EvidenceMark | StandInMark | RefusedMark | BreakerMark;

/** From here on another tool of its chain has the call. */
export interface StandInMark extends SpanPlace {
  readonly kind: 'stand-in';
  /** The place of the tool in the chain, from 1. */
  readonly link: number;
  readonly tool: string;
  readonly effect?: Effect;
  readonly input: JsonValue;
  readonly skipped: readonly SkippedLink[];
  readonly decision?: Decision;
}

export interface AttemptSpan extends SpanPlace {
  readonly kind: 'attempt';
  readonly attempt: number;
  /** The approval that it used up. */
  readonly approvalId?: string;
  /** The sandbox driver that ran its program. */
  readonly sandbox?: string;
  /** What let it begin: the locks that it took, and its upstream. */
  readonly admission?: Waited & { readonly waitedMs: number; readonly isProbe: boolean };
  readonly end?: AttemptResult | Lost;
}

/** A result that came after its attempt had been given up. */
export interface EvidenceMark extends SpanPlace {
  readonly kind: 'evidence';
  readonly attempt: number;
  readonly result: AttemptResult;
}

/** What an attempt has to have before it begins. */
export interface Waited {
  readonly upstream?: string;
  readonly locks?: readonly string[];
}

/** An attempt that its upstream or a lock did not let begin. */
export interface RefusedMark extends SpanPlace {
  readonly kind: 'refused-by-upstream';
  readonly attempt: number;
  readonly upstream?: string;
  readonly lock?: string;
  readonly failure: Failure;
}

/** A breaker that changed over the call. */
export interface BreakerMark extends SpanPlace {
  readonly kind: 'breaker';
  readonly upstream: string;
  readonly from: BreakerKind;
  readonly to: BreakerKind;
  readonly reason: string;
  readonly untilMs?: number;
}

/** A side effect of which nobody knew whether it happened, and what was done to find out. */
export interface DoubtSpan extends SpanPlace {
  readonly kind: 'doubt';
  readonly attempt: number;
  readonly reason: 'crash' | 'no-answer';
  readonly children: readonly (VerifySpan | WaitSpan)[];
  readonly resolution?: {
    readonly verdict: CallResolved['verdict'];
    readonly by: CallResolved['by'];
    readonly note?: string;
  };
}

export interface VerifySpan extends SpanPlace {
  readonly kind: 'verify';
  readonly round: number;
  readonly end?: { readonly status: 'answered'; readonly verdict: Verdict; readonly failure?: Failure } | Lost;
}

/** Time in which the run waited on purpose. */
export interface WaitSpan extends SpanPlace {
  readonly kind: 'wait';
  readonly on: WaitFor;
}

export type WaitFor =
  | {
      readonly kind: 'approval';
      readonly approvalId: string;
      readonly reason: string;
      readonly expiresAtMs: number;
      readonly answer?: ApprovalAnswer;
    }
  /** For a login or a permission that only a person can give. */
  | {
      readonly kind: 'authorization';
      readonly authorizationId: string;
      readonly upstream: string;
      readonly url?: string;
      readonly expiresAtMs: number;
      readonly answer?: AuthorizationAnswer;
    }
  /** Back-off before an attempt of a call or of the model. */
  | { readonly kind: 'retry'; readonly attempt: number; readonly dueAtMs: number }
  /** In the queue of an upstream or of a lock, before an attempt. */
  | (Waited & { readonly kind: 'upstream'; readonly attempt: number })
  /** Until `verify` may be believed. */
  | { readonly kind: 'verify'; readonly dueAtMs: number }
  /** A doubt that only a person can settle. */
  | { readonly kind: 'person' }
  | { readonly kind: 'message' }
  /** Code or contract of the run was missing. */
  | { readonly kind: 'code'; readonly reason: string; readonly remedy: string };

export type ApprovalAnswer =
  | { readonly verdict: 'approve' | 'deny'; readonly by?: string; readonly note?: string; readonly edited: boolean }
  | { readonly verdict: 'expired' };

export type AuthorizationAnswer =
  | { readonly verdict: 'granted' | 'denied'; readonly by?: string; readonly note?: string }
  | { readonly verdict: 'expired' };

/**
 * Time without a driver in which the run could have gone on:
 * `no-driver-yet` before the first, `driver-changed` when work was under way (a kill, mostly), `driver-left` when none was.
 */
export interface GapSpan extends SpanPlace {
  readonly kind: 'gap';
  readonly cause: 'no-driver-yet' | 'driver-changed' | 'driver-left';
  /** The ids of the spans that were cut off. */
  readonly lost: readonly string[];
  /** The epoch of the driver that took over. */
  readonly takenByEpoch: number;
}

/** Something that happened to the run at one moment. */
export interface MarkSpan extends SpanPlace {
  readonly kind: 'mark';
  readonly mark:
    | { readonly kind: 'message'; readonly text: string }
    | { readonly kind: 'cancel'; readonly reason: string; readonly by?: string }
    | { readonly kind: 'post-refused'; readonly about: string; readonly failure: Failure }
    | { readonly kind: 'contract-rebound'; readonly tool: string; readonly version: number }
    | {
        readonly kind: 'contract-migrated';
        readonly tool: string;
        readonly fromVersion: number;
        readonly version: number;
        /** Open calls that go on under new arguments. */
        readonly calls: readonly string[];
      };
}

/** What stands directly under a run, in the order in which it began. */
export type RunPart = ModelSpan | CallSpan | WaitSpan | GapSpan | MarkSpan;

export type Span = RunPart | ModelAttemptSpan | CallPart | VerifySpan;

export interface TraceTotals {
  readonly steps: number;
  readonly modelAttempts: number;
  readonly calls: number;
  readonly attempts: number;
  /** Calls that a kept result answered. */
  readonly cached: number;
  /** Calls of a fork that were answered by what became of them in the run that it goes on from. */
  readonly recorded: number;
  /** Attempts of calls beyond the first. */
  readonly repeats: number;
  readonly repairs: number;
  /** Waits for people and times, back-offs included. */
  readonly waits: number;
  readonly approvals: number;
  readonly denied: number;
  readonly doubts: number;
  /** Gaps in which a driver was lost at work. */
  readonly kills: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Time in which a model or a tool was at work, overlaps counted once. */
  readonly workedMs: number;
  /** Time from the first entry to the last. */
  readonly spannedMs: number;
}

/** What is known of a run without its spans. */
export interface TraceHead {
  readonly runId: string;
  readonly traceId: string;
  readonly kind: RunKind;
  /** Name of the agent, or of the tool of a single call. */
  readonly subject: string;
  readonly input: JsonValue;
  /** The conversation that it is part of. */
  readonly session?: string;
  /** The run that it goes on from, and the first step that is its own. */
  readonly fork?: { readonly of: string; readonly step: number; readonly changed: readonly ForkChange[] };
  /** The model that its agent pins; absent for a run without a model. */
  readonly model?: string;
  readonly startMs: number;
  /** Time of the last entry. */
  readonly lastMs: number;
  readonly epoch: number;
  readonly seq: number;
  readonly ending?: { readonly kind: RunEnding; readonly output: JsonValue; readonly failure?: Failure };
}

export interface Trace extends TraceHead {
  readonly parts: readonly RunPart[];
  readonly totals: TraceTotals;
}
