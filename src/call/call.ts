/** A call: an intent bound to a contract, its input valid. */
import type { Effect, Risk } from './effect.ts';
import type { JsonValue } from '../util/json.ts';

/** One step that made the model's arguments fit the contract. */
export interface Repair {
  /** The name of the rule, for example `string-to-number`. */
  readonly rule: string;
  /** JSON Pointer (RFC 6901) to the place, `''` for the whole. */
  readonly path: string;
  readonly before?: JsonValue;
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
}

/** A call as the machine sees it: with what the run pinned of its contract. */
export interface Call extends BoundCall {
  readonly toolVersion: number;
  readonly contractHash: string;
  readonly terms: CallTerms;
}
