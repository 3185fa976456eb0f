/**
 * A contract: what a tool promises, checked and frozen. `tool()` makes it; everything that handles calls reads it.
 */
import type { CallTerms } from '../call/call.ts';
import type { Effect, Risk } from '../call/effect.ts';
import type { ContractPin } from '../call/pin.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** What a tool's functions are handed beside the input. */
export interface ToolContext {
  readonly runId: string;
  readonly callId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The same over all attempts, processes and a restore from backup; hand it to the upstream. */
  readonly idempotencyKey: string;
  /** Aborts at the time limit and on cancellation. */
  readonly signal: AbortSignal;
  readonly log: (message: string, data?: JsonValue) => void;
  readonly progress: (update: { readonly message?: string; readonly done?: number; readonly total?: number }) => void;
}

/** What `verify` answers: whether the effect of a call in doubt happened. */
export type VerifyAnswer =
  | { readonly happened: true; readonly output: unknown }
  | { readonly happened: false }
  | { readonly happened: 'unknown' };

/** The result of checking a value against a schema. */
export type Checked =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  /** JSON Pointer to the place, `''` for the whole. */
  readonly path: string;
  readonly message: string;
  /** The JSON Schema keyword, where there is one. */
  readonly keyword?: string;
}

/** A schema that can describe itself and check a value. */
export interface CheckedSchema {
  /** JSON Schema 2020-12 (draft-07 where `$schema` says so), keys sorted, frozen. */
  readonly json: JsonObject;
  /**
   * Checks JSON data; a Standard Schema may also transform it. Always synchronous.
   * @throws AxleError `schema-unsupported` when the schema itself is at fault: it cannot be compiled, throws, answers with a promise, or makes
   * something of the value that JSON cannot hold.
   */
  readonly check: (value: JsonValue) => Checked;
}

export interface ContractExample {
  readonly input: JsonValue;
  readonly output?: JsonValue;
}

export interface Contract {
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly whenToUse?: string;
  /** What the tool is not for, and what it cannot do. */
  readonly limitations?: string;
  readonly category?: string;
  readonly tags: readonly string[];
  readonly examples: readonly ContractExample[];
  /** How long a call usually takes, in milliseconds. A statement for people and models; nothing is enforced by it. */
  readonly expectedDurationMs?: number;
  /** What a call usually costs. A statement for people and models; nothing is enforced by it. */
  readonly cost?: { readonly usd: number };
  readonly effect: Effect;
  readonly risk: Risk;
  readonly irreversible: boolean;
  readonly terms: CallTerms;
  readonly input: CheckedSchema;
  readonly output?: CheckedSchema;
  readonly pin: ContractPin;
  readonly execute: (input: JsonValue, context: ToolContext) => Promise<unknown>;
  readonly verify?: (input: JsonValue, context: ToolContext) => Promise<VerifyAnswer>;
}
