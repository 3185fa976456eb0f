/** A call: an intent bound to a contract, its input valid. */
import type { CacheTerms } from './cache-terms.ts';
import type { ChainLink } from './chain.ts';
import type { Effect, Risk } from './effect.ts';
import type { FilledArgument, Publication } from './publication.ts';
import type { SandboxProperty } from './isolation.ts';
import type { LockTerms } from './lock-terms.ts';
import type { JsonValue } from '../util/json.ts';

/** One step that made the model's arguments fit the contract. */
export interface Repair {
  /** The name of the rule, for example `string-to-number`. */
  readonly rule: string;
  /** JSON Pointer (RFC 6901) to the place, `''` for the whole. */
  readonly path: string;
  /** What was there; absent where nothing was. Of what concerns the text and not its meaning, the text itself. A long value is cut. */
  readonly before?: JsonValue;
  /** What stands there now; absent where nothing does. */
  readonly after?: JsonValue;
}

/** What a call's contract says that the machine needs, copied at binding so that a later contract cannot change a call under way. */
export interface CallTerms {
  readonly effect: Effect;
  readonly risk: Risk;
  readonly irreversible: boolean;
  /** Attempts in all, the first included. */
  readonly maxAttempts: number;
  /** Base of the exponential back-off between attempts, in milliseconds. */
  readonly backoffBaseMs: number;
  /** The longest back-off that Axle chooses by itself, in milliseconds. */
  readonly backoffCapMs: number;
  /** Milliseconds one attempt may take. */
  readonly timeoutMs: number;
  /** True when the contract can find out by itself whether an attempt had its effect. */
  readonly canVerify: boolean;
  /** Milliseconds after the attempt's time limit before `verify` is believed when it says that nothing happened. */
  readonly settleMs: number;
  /** True when calls of this tool may overlap although they have an effect. */
  readonly parallel: boolean;
  /** Who is asked instead, in this order, when the tool is down. Absent: nobody. */
  readonly fallback?: readonly ChainLink[];
  /** Invalid calls in a row after which the model is sent the whole schema; present where the contract declares it. */
  readonly maxInvalidCalls?: number;
  /** How results are kept and used again; reads only. Absent: not at all. */
  readonly cache?: CacheTerms;
  /** Context keys that a call sets when it succeeds. Absent: none. */
  readonly publishes?: readonly Publication[];
  /** Selectors of what must be there before a call starts. Absent: nothing. */
  readonly needs?: readonly string[];
  /** True when arguments may be filled from the context. */
  readonly fills?: true;
  /** Arguments that must still stand in the context as they were filled in when an attempt begins. Absent: none. */
  readonly unchanged?: readonly string[];
  /** What the sandbox of its program must have proven to hold back. Empty: a process of its own, and nothing more. Absent: a function that runs in process. */
  readonly sandbox?: readonly SandboxProperty[];
  /** A failed login or a missing permission waits for a person. Absent: it is a failure like others. */
  readonly authorization?: 'ask';
  /** The upstream at which each attempt is admitted first; absent for a tool without limits and breaker. */
  readonly upstream?: string;
  /** What each attempt takes first, so that calls that would disturb each other do not overlap. Absent: nothing. */
  readonly locks?: readonly LockTerms[];
}

/** A call as the journal keeps it: version, hash and terms of its contract are what the run pinned, and are not repeated. */
export interface BoundCall {
  /** Unique in the run: the step and the place in it, for example `3.0`. */
  readonly callId: string;
  /** The id under which brain and history know the call; unique in the run. */
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: JsonValue;
  /** SHA-256 over the canonical JSON of tool, version and input: what an approval, a refusal and a suspicion are bound to. Absent for a read that nobody is asked about. */
  readonly argsHash?: string;
  /** Absent when the arguments fitted as they were. */
  readonly repairs?: readonly Repair[];
  /** Arguments that were filled in from the context of the run. Absent when there are none. */
  readonly filled?: readonly FilledArgument[];
}

/** A call as the machine sees it: with what the run pinned of its contract. */
export interface Call extends BoundCall {
  readonly toolVersion: number;
  readonly contractHash: string;
  readonly terms: CallTerms;
  /** The place in its chain of the tool that has the call now, from 1. Absent for the tool that was asked for. */
  readonly link?: number;
}
