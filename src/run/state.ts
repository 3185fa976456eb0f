/**
 * The state of a run: what the fold of its journal gives, and all that `decide` may look at.
 *
 * The control part is small and immutable; the conversation is a `Transcript`. Everything here but the transcript is plain JSON data, so a
 * snapshot is the control part as it stands.
 */
import type { Call } from '../call/call.ts';
import type { ContractPin } from '../call/pin.ts';
import type { ModelPart } from '../call/message.ts';
import type { AttemptResult, Failure, Outcome } from '../call/outcome.ts';
import type { Durability, RunEnding, RunTask, Verdict } from '../journal/entry.ts';
import type { RecordedResult, RunFork } from '../journal/fork-entries.ts';
import type { JsonValue } from '../util/json.ts';
import { Transcript } from './transcript.ts';

/**
 * Where a call stands. The machine itself is drawn in `call-machine.ts`.
 * `attempting` and `running` carry the epoch that began them: under a later epoch they are lost, and that is all that recovery knows.
 */
export type CallPhase =
  | { readonly kind: 'bound' }
  | { readonly kind: 'asking'; readonly approvalId: string; readonly expiresAtMs: number }
  | { readonly kind: 'ready'; readonly approval?: HeldApproval }
  | {
      readonly kind: 'backing-off';
      readonly attempt: number;
      readonly dueAtMs: number;
      readonly approval?: HeldApproval;
    }
  | { readonly kind: 'attempting'; readonly attempt: number; readonly epoch: number; readonly startedAtMs: number }
  /** An attempt has ended, or its upstream refused it before it began: then `attempt` is the one that did not begin, and an approval is not used up. */
  | {
      readonly kind: 'answered';
      readonly attempt: number;
      readonly result: AttemptResult;
      readonly approval?: HeldApproval;
    }
  /** The attempt was refused for want of a permission, which a person is asked for. */
  | {
      readonly kind: 'authorizing';
      readonly attempt: number;
      readonly authorizationId: string;
      readonly upstream: string;
      readonly expiresAtMs: number;
      readonly failure: Failure;
    }
  | {
      readonly kind: 'doubtful';
      readonly attempt: number;
      readonly reason: 'crash' | 'no-answer';
      readonly verify: VerifyPhase;
    }
  | {
      readonly kind: 'resolved';
      readonly attempt: number;
      readonly verdict: Exclude<Verdict, { kind: 'unknown' }> | { readonly kind: 'told' };
    }
  | { readonly kind: 'settled'; readonly outcome: Outcome };

/** An approval that no attempt has used up yet. */
export interface HeldApproval {
  readonly approvalId: string;
  readonly expiresAtMs: number;
}

/** Where the verification of a doubt stands. */
export type VerifyPhase =
  | { readonly kind: 'due'; readonly round: number; readonly atMs: number }
  | { readonly kind: 'running'; readonly round: number; readonly epoch: number }
  | { readonly kind: 'concluded'; readonly verdict: Exclude<Verdict, { kind: 'unknown' }> }
  /** The contract has no `verify`, or it could not tell: only a person, evidence or policy can. */
  | { readonly kind: 'spent' };

/** A call of the open turn. A refused intent has no `call` and is settled from the start. */
export interface CallState {
  readonly callId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly call?: Call;
  /** What history shows as input. */
  readonly input: JsonValue;
  readonly phase: CallPhase;
  /** The number of attempts that began. */
  readonly attempts: number;
  /** Attempts of the tools of its chain that had the call before. Absent while it is with the tool that was asked for. */
  readonly attemptsBefore?: number;
  /** What the tool that was asked for was to run with: the functions of its chain are handed that. Present once another tool has the call. */
  readonly asked?: JsonValue;
  /** Attempts that a crash cut off; they do not use up the retries. */
  readonly lostAttempts: number;
  /** The attempt that may begin now, in the epoch in which it was admitted, by this upstream where the contract names one. */
  readonly admission?: { readonly attempt: number; readonly epoch: number; readonly upstream?: string };
  /** How often its upstream or a lock refused it; each uses up a try. */
  readonly refusals?: number;
  /** How often it has waited for an authorisation; those attempts use up no try. Absent for never. */
  readonly authorizations?: number;
  /** An attempt ended without proof that nothing was sent, and nobody has established since that nothing happened. */
  readonly mayHaveHappened: boolean;
  /** A result that came after its attempt had been given up; it may come before the doubt is even recorded. */
  readonly evidence?: { readonly attempt: number; readonly result: AttemptResult };
  /** How often it was brought to another version of its tool; absent for never. What was decided before counts no more. */
  readonly migrations?: number;
  /** Until when it waits before it begins again: a back-off goes on under another version. */
  readonly notBeforeMs?: number;
  /** The model's place for it in the turn, so that provider data can go back with it. */
  readonly intentIndex: number;
}

/** What the model said last and what becomes of it; gone once every call in it is settled. */
export interface Turn {
  readonly step: number;
  readonly parts: readonly ModelPart[];
  /** True when the output limit cut the model off: no call of the turn runs. */
  readonly truncated: boolean;
  /** Intents that have been bound, refused or dropped. */
  readonly taken: number;
  readonly calls: readonly CallState[];
}

/** Where the model call stands. */
export type ModelPhase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'asking'; readonly attempt: number; readonly failures: number; readonly epoch: number }
  | { readonly kind: 'backing-off'; readonly attempt: number; readonly failures: number; readonly dueAtMs: number }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface RunTotals {
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
  readonly attempts: number;
}

/** The value of a key, and where it comes from. */
export interface BusValue {
  readonly value: JsonValue;
  /** Version of the key, as its producer declared it. */
  readonly version: number;
  /** The call that published it, or `start`. */
  readonly by: string;
  /** The tool that published it; absent for `start`. */
  readonly tool?: string;
  /** How often the key was set, this time included. */
  readonly writes: number;
  /** The entry that set it. */
  readonly seq: number;
  readonly atMs: number;
}

export interface Bus {
  readonly values: Readonly<Record<string, BusValue>>;
  /** Characters of all values, as JSON. */
  readonly length: number;
  /** Keys whose last value did not fit. */
  readonly full: readonly string[];
  /** Outputs that a migration has brought to another version of their tool, by call; the newest of each tool. */
  readonly migrated: Readonly<Record<string, { readonly callId: string; readonly output: JsonValue }>>;
}

export interface RunState {
  readonly runId: string;
  readonly seq: number;
  readonly epoch: number;
  /** The largest time folded so far: the only clock that decisions know. */
  readonly nowMs: number;
  readonly traceId: string;
  /** The conversation that the run belongs to. */
  readonly session: string | undefined;
  readonly durability: Durability;
  readonly task: RunTask | undefined;
  /** The contracts that the run pinned, as they are bound now. */
  readonly contracts: readonly ContractPin[];
  readonly stage: 'new' | 'open' | 'held' | 'ended';
  readonly held: { readonly reason: string; readonly remedy: string; readonly tool?: string } | undefined;
  readonly ending: { readonly kind: RunEnding; readonly output: JsonValue; readonly failure?: Failure } | undefined;
  readonly cancel: { readonly reason: string; readonly by?: string } | undefined;
  /** Model calls begun, retries of one not counted. */
  readonly step: number;
  /** Milliseconds in which a model or a tool was at work. */
  readonly workMs: number;
  readonly model: ModelPhase;
  readonly turn: Turn | undefined;
  /** Turns in a row that brought nothing: unreadable output, or only refused calls. */
  readonly fruitlessTurns: number;
  /** Absent until arguments could not be used for the first time. */
  readonly invalidCalls?: readonly InvalidCalls[];
  /** Messages that wait for a place in the conversation where they break no pair of call and result. */
  readonly unplaced: readonly string[];
  /** Arguments hashes that a person or policy refused: not asked about again. */
  readonly denied: readonly string[];
  /** Arguments hashes of failed calls whose effect may have happened: the same call again asks a person. */
  readonly suspect: readonly string[];
  /** What the last model call was shown: items, rolling hash, hash of the tools. */
  readonly context: {
    readonly items: number;
    readonly hash: string;
    readonly toolsHash: string;
    /** Names of the tools shown, when they are a part of those that were granted. */
    readonly tools?: readonly string[];
  };
  /** Tools that the model has searched for and not been shown yet. */
  readonly found: readonly string[];
  /** Values of context keys; undefined for a run that uses none. */
  readonly bus: Bus | undefined;
  /** Present for a run that goes on from a step of another: what answers its side effects, and which may be performed. */
  readonly fork?: ForkState;
  readonly totals: RunTotals;
  readonly transcript: Transcript;
}

export interface ForkState extends Pick<RunFork, 'of' | 'live'> {
  /** Results that have answered no call yet. */
  readonly recorded: readonly RecordedResult[];
}

/** How often in a row one tool was called with arguments that could not be used. The way from one to the next is drawn in `invalid-calls.ts`. */
export interface InvalidCalls {
  readonly tool: string;
  /** 0 after a call that fitted. */
  readonly count: number;
  /** The step of the last one. */
  readonly step: number;
}

/** How many refused or suspect calls a run remembers; the oldest is forgotten first. */
export const maxRemembered = 256;

/** The state before the first entry. */
export function newState(runId: string): RunState {
  return {
    runId,
    seq: 0,
    epoch: 0,
    nowMs: 0,
    traceId: '',
    session: undefined,
    durability: 'effects',
    task: undefined,
    contracts: [],
    stage: 'new',
    held: undefined,
    ending: undefined,
    cancel: undefined,
    step: 0,
    workMs: 0,
    model: { kind: 'idle' },
    turn: undefined,
    fruitlessTurns: 0,
    unplaced: [],
    denied: [],
    suspect: [],
    context: { items: 0, hash: '', toolsHash: '' },
    found: [],
    bus: undefined,
    totals: { modelCalls: 0, inputTokens: 0, outputTokens: 0, calls: 0, attempts: 0 },
    transcript: Transcript.empty,
  };
}

/** The open call with this id. */
export function findCall(state: RunState, callId: string): CallState | undefined {
  return state.turn?.calls.find((call) => call.callId === callId);
}
