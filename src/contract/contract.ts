/**
 * A contract: what a tool promises, checked and frozen. `tool()` makes it; everything that handles calls reads it.
 */
import type { CallTerms } from '../call/call.ts';
import type { Effect, Risk } from '../call/effect.ts';
import type { Publication } from '../call/publication.ts';
import type { Selector } from '../call/selector.ts';
import type { ContractPin } from '../call/pin.ts';
import type { Program, SandboxTerms } from './program.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';
import type { DeclaredSettings } from './upstream-settings.ts';

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
  /** The real value of an alias. What of it comes back in the output or an error is replaced by the alias. @throws ToolError `alias-unknown`, `alias-unusable`, with effect `none` */
  readonly real: (alias: string) => Promise<string>;
  /** The text with the alias in every place where a real value stands: for what is cut, or goes elsewhere than into the output. */
  readonly conceal: (text: string) => string;
}

/** What `verify` answers: whether the effect of a call in doubt happened. */
export type VerifyAnswer =
  | { readonly happened: true; readonly output: unknown }
  | { readonly happened: false }
  | { readonly happened: 'unknown' };

/** What a contract makes of the arguments and the results of one version before it. What is left out stays as it is. */
export interface Migration {
  readonly input?: (value: JsonValue) => unknown;
  readonly output?: (value: JsonValue) => unknown;
}

/** By version, ascending; each leads to the next one, the last to the contract's own version. */
export type Migrations = ReadonlyMap<number, Migration>;

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

/** One tool of a fallback chain, with the functions between it and the tool that was asked for. */
export interface FallbackStep {
  readonly tool: string;
  readonly when?: readonly string[];
  readonly input?: (input: JsonValue) => unknown;
  readonly output?: (output: JsonValue) => unknown;
}

/** A key, with the type of its value. */
export interface ContextKey<T = unknown> {
  readonly name: string;
  readonly version: number;
  readonly schema: CheckedSchema;
  readonly migrations: ReadonlyMap<number, (value: JsonValue) => unknown>;
  /** For `publishes`: this key, with the value at a place of the output. @defaultValue the whole output */
  at(pointer?: string): Readonly<Record<string, PublishedKey>>;
  /** Only for the compiler: no key has it. */
  readonly '~value'?: T;
}

/** What `publishes` says of a key. */
export interface PublishedKey {
  /** JSON Pointer into the output. @defaultValue '', the whole */
  readonly at?: string;
  /** What the value must fit; an output that does not is `output-invalid`. @defaultValue anything */
  readonly schema?: unknown;
  /** @defaultValue 1 */
  readonly version?: number;
}

/** A key that calls publish. */
export interface PublishedValue extends Publication {
  readonly schema?: CheckedSchema;
}

/** An argument, or a list of them, in which a model writes an alias; the body of the tool gets its real value. */
export interface AliasedArgument {
  /** The members that lead to it. */
  readonly path: readonly string[];
  /** What it may be. */
  readonly aliases: readonly string[];
}

/** An argument that is filled from the context. */
export interface MappedInput {
  /** The name of the argument. */
  readonly field: string;
  readonly from: Selector;
  /** The version in which it is wanted, where the contract names a `contextKey`. */
  readonly key?: ContextKey;
  /** True when its call does not begin once somebody else has brought it forth anew. */
  readonly isUnchanged: boolean;
  /** True when the input schema requires it: without it the call does not start. */
  readonly isRequired: boolean;
}

export interface ContractExample {
  readonly input: JsonValue;
  readonly output?: JsonValue;
}

/** The upstream that a tool's calls go to, as far as the tool itself speaks of it. */
export interface DeclaredUpstream {
  /** The name that several tools may share, or `tool:NAME` for that of one tool alone. */
  readonly upstream: string;
  readonly settings: DeclaredSettings;
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
  /** Absent for a tool whose calls wait for nothing. */
  readonly limits?: DeclaredUpstream;
  readonly input: CheckedSchema;
  readonly output?: CheckedSchema;
  readonly pin: ContractPin;
  /** Everything that is declared, as canonical JSON: its SHA-256 is `pin.hash`. */
  readonly declaration: string;
  readonly migrations?: Migrations;
  /** Context keys that a call sets when it succeeds. */
  readonly publishes?: readonly PublishedValue[];
  /** Arguments that are filled from the context. */
  readonly inputs?: readonly MappedInput[];
  /** Arguments that are aliases. */
  readonly aliases?: readonly AliasedArgument[];
  /** What must be there before a call starts. */
  readonly requires?: readonly Selector[];
  /** The body of a tool that is no function, and what it demands of the place where it runs. */
  readonly program?: Program;
  readonly sandbox?: SandboxTerms;
  /** The body of a tool that is a function. That of a program throws `sandbox-unavailable`. */
  readonly execute: (input: JsonValue, context: ToolContext) => Promise<unknown>;
  readonly verify?: (input: JsonValue, context: ToolContext) => Promise<VerifyAnswer>;
  /** Who is asked instead, in this order, when the tool is down; `terms.fallback` is its plain part. */
  readonly fallback: readonly FallbackStep[];
  /** The contract under which what a call did is taken back: its name is `undoName`, its input the call's input and output. */
  readonly undo?: Contract;
  /** What tells the kept results of two calls apart: names of arguments, or a function of all. Absent: all arguments. */
  readonly cacheKey?: readonly string[] | ((input: JsonValue) => unknown);
}
