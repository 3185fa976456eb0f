/** `tool()`: declares a contract. Everything that Axle does with a tool's calls follows from this one declaration. */
import type { Effect, Risk } from '../call/effect.ts';
import type { SandboxProperty } from '../call/isolation.ts';
import { AxleError } from '../error/axle-error.ts';
import { defined } from '../util/defined.ts';
import { sha256 } from '../util/hash.ts';
import { canonicalJson, deepFreeze, isRecord, type JsonObject, type JsonValue, toJson } from '../util/json.ts';
import { contextTerms, type DeclaredContext, plainContext, readContext } from './context/declared-context.ts';
import { readAliases } from './declare/aliases.ts';
import { readExamples } from './declare/examples.ts';
import type { CacheDeclaration } from './declare/cache.ts';
import { type FallbackDeclaration, readFallback } from './declare/fallback.ts';
import { type Facts, readFacts } from './declare/facts.ts';
import { type Fields, invalid, refuseUnknown } from './declare/fields.ts';
import type { BreakerDeclaration, LimitsDeclaration } from './declare/limits.ts';
import { checkLockNames, type LockDeclaration } from './declare/locks.ts';
import { readProgram } from './declare/program.ts';
import { readUndo, type UndoDeclaration } from './declare/undo.ts';
import type { CheckedSchema, ContextKey, Contract, PublishedKey, ToolContext, VerifyAnswer } from './contract.ts';
import { readMigrations } from './migrate.ts';
import type { FromAlias, ProgramDeclaration } from './program.ts';
import { toCheckedSchema } from './schema/checked-schema.ts';
import type { InputOf, OutputOf, StandardSchema } from './schema/standard-schema.ts';

/** What a declaration says apart from schemas and code. */
export interface ToolFacts {
  /**
   * 1 to 256 characters: letters and digits of any script, spaces inside, and `_ - . / : @ + ~ $ #`. Dots make groups that an agent can be granted together
   * (`crm.*`). Providers are shown an alias of what they do not take.
   */
  readonly name: string;
  /** A whole number; several versions of a tool may live side by side. @defaultValue 1 */
  readonly version?: number;
  readonly description: string;
  readonly whenToUse?: string;
  /** What the tool is not for, and what it cannot do. */
  readonly limitations?: string;
  /** What a call does to the world. @defaultValue 'write' */
  readonly effect?: Effect;
  /** How much harm a wrong call can do. @defaultValue `low` for a read, else `medium` */
  readonly risk?: Risk;
  /** True when what a call does cannot be taken back; such a call asks a person. @defaultValue false */
  readonly irreversible?: boolean;
  /** How long one attempt may take: milliseconds or a text such as `20s`; 1 ms to 24 h. @defaultValue '10s' */
  readonly timeout?: number | string;
  /** How often a failed attempt is tried again, where the effect allows it. @defaultValue 4 attempts, 1 s base, 10 s cap */
  readonly retry?: { readonly attempts?: number; readonly baseMs?: number; readonly capMs?: number };
  /**
   * How often in a row a model may get the arguments wrong before it is sent the whole schema and every example; one time more and the tool is
   * withdrawn from the run, another one and the run stops. 1 to 20. @defaultValue 3
   */
  readonly maxInvalidCalls?: number;
  /** True when calls of an `idempotent` tool may overlap. @defaultValue false */
  readonly parallel?: boolean;
  /** How long after an attempt's time limit `verify` is not believed when it says that nothing happened. @defaultValue 0 */
  readonly settle?: number | string;
  /**
   * What may be asked of the service behind the tool: calls wait for their turn, fair over runs, before an attempt begins.
   * `upstream` names a service that several tools share; its settings may stand in `createAxle({ upstreams })` instead.
   */
  readonly limits?: LimitsDeclaration;
  /** When calls stop going to a service that fails; `false` for never. @defaultValue the default breaker, where there are `limits`; else none */
  readonly breaker?: BreakerDeclaration | boolean;
  /**
   * What a failed login or a missing permission does (`authorization-required`): fail the call, or have it wait until a person says that it is there
   * (`axle.authorizations`). A `write` waits only where the failure proves that nothing was sent. @defaultValue 'fail'
   */
  readonly authorization?: 'ask' | 'fail';
  /**
   * Locks that each attempt takes before it begins, by name: `['inventory', 'order:{orderId}']`. Calls of all runs of a driver that want the same lock wait for each
   * other. At most 8. @defaultValue none
   */
  readonly locks?: readonly (string | LockDeclaration)[];
  /** How long a call usually takes. Shown, not enforced. */
  readonly expectedDuration?: number | string;
  /** What a call usually costs. Shown, not enforced. */
  readonly cost?: { readonly usd: number };
  /** Tools that are asked in this order when this one is down: names, or a step with functions between the two. At most 8. @defaultValue none */
  readonly fallback?: readonly (string | FallbackDeclaration)[];
  /** How results of a read are kept and used again. @defaultValue not at all */
  readonly cache?: CacheDeclaration;
  readonly category?: string;
  readonly tags?: readonly string[];
  /**
   * What arguments and results of versions before this one are under this one, for runs that began with them: `{ 1: { input: (old) => ({ ... }) } }`. Each leads
   * to the next version that is named here, the last to this one; what comes out is checked by the schemas of this one.
   */
  readonly migrate?: Readonly<
    Record<number, { readonly input?: (value: never) => unknown; readonly output?: (value: never) => unknown }>
  >;
  /** Context keys that a call sets when it succeeds, each with the place of its value in the output: `{ 'user.id': '/id' }`. At most 32. @defaultValue none */
  readonly publishes?: Readonly<Record<string, string | PublishedKey>>;
  /** Arguments that are filled from the context of the run, and that a model is not shown: `{ userId: 'user.id' }`, with a key or a selector. @defaultValue none */
  readonly inputs?: Readonly<Record<string, string | ContextKey | FilledInput>>;
  /**
   * Arguments in which a model writes an alias of `createAxle({ aliases })`, with those that each may be: `{ database: ['orders_db', 'users_db'] }`. The body of the tool
   * gets the real value; everything else (policy, approval, journal, cache) has the alias. @defaultValue none
   */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** What must be there before a call starts: `['context:user.id', 'tool:login']`. Required arguments that are filled are needed anyway. @defaultValue nothing */
  readonly requires?: readonly (string | ContextKey)[];
  /**
   * What the place must hold back in which `run` is executed, and what it may use up. `'none'` demands nothing: a function runs in process anyway, a command in
   * a process of its own. @defaultValue for `run` everything, with the limits of `defaultLimits`
   */
  readonly sandbox?: 'none' | SandboxDeclaration;
}

/** An argument that is filled from the context, with what must hold of it. */
export interface FilledInput {
  readonly from: string | ContextKey;
  /** True when the call must not begin once somebody has set anew what was filled in: it fails with `context-changed`, and a model asks again. @defaultValue false */
  readonly unchanged?: boolean;
}

export interface SandboxDeclaration {
  /** @defaultValue all of them */
  readonly needs?: readonly SandboxProperty[];
  /** Hosts that a command may reach by way of a filtering proxy: `api.example.com` (port 443), `api.example.com:8443` or `{ alias: 'billing' }`. @defaultValue none */
  readonly network?: readonly (string | FromAlias)[];
  /** Sizes are bytes or texts such as `64MB`. @defaultValue 10 s of processor time, 1 GB of memory, 64 processes, 64 MB of files, 1 MB of output */
  readonly limits?: {
    readonly cpu?: number | string;
    readonly memory?: number | string;
    readonly processes?: number;
    readonly disk?: number | string;
    readonly output?: number | string;
  };
}

/** A declaration whose schemas are Standard Schemas: input and output of its code have their types. */
export interface TypedTool<In extends StandardSchema, Out extends StandardSchema> extends ToolFacts {
  readonly input: In;
  readonly output?: Out;
  /** Checked against the schemas at declaration; the first is shown to the model, and again when it gets the arguments wrong. */
  readonly examples?: ReadonlyArray<{ readonly input: InputOf<In>; readonly output?: unknown }>;
  execute(input: OutputOf<In>, context: ToolContext): InputOf<Out> | Promise<InputOf<Out>>;
  /** Takes back what a call did, handed its input and output; with terms of its own where it is an object. */
  readonly undo?:
    | ((input: OutputOf<In>, output: OutputOf<Out>, context: ToolContext) => unknown)
    | UndoDeclaration<OutputOf<In>, OutputOf<Out>>;
  // As in ToolFacts, with the types of the schemas.
  readonly cache?: CacheDeclaration<OutputOf<In>>;
  readonly fallback?: readonly (string | FallbackDeclaration<OutputOf<In>>)[];
  /** Finds out whether a call in doubt had its effect. Must change nothing. */
  verify?(input: OutputOf<In>, context: ToolContext): VerifyAnswer | Promise<VerifyAnswer>;
}

/** A declaration whose schemas are JSON Schema 2020-12 (or draft-07, where `$schema` says so). */
export interface JsonTool extends ToolFacts {
  readonly input: JsonSchemaObject;
  readonly output?: JsonSchemaObject;
  readonly examples?: ReadonlyArray<{ readonly input: JsonValue; readonly output?: JsonValue }>;
  execute(input: JsonObject, context: ToolContext): unknown;
  /** Takes back what a call did, handed its input and output; with terms of its own where it is an object. */
  readonly undo?: ((input: never, output: never, context: ToolContext) => unknown) | UndoDeclaration;
  verify?(input: JsonObject, context: ToolContext): VerifyAnswer | Promise<VerifyAnswer>;
}

/** A declaration whose body is a program, run in a sandbox, and not a function. */
export type TypedProgramTool<In extends StandardSchema, Out extends StandardSchema> = Omit<
  TypedTool<In, Out>,
  'execute'
> & { readonly run: ProgramDeclaration; readonly execute?: never };
export type JsonProgramTool = Omit<JsonTool, 'execute'> & {
  readonly run: ProgramDeclaration;
  readonly execute?: never;
};

/** A JSON Schema as an object literal. What makes it none is refused at declaration. */
export type JsonSchemaObject = Readonly<Record<string, unknown>> & { readonly '~standard'?: never };

const knownFields = [
  'name',
  'version',
  'description',
  'whenToUse',
  'limitations',
  'input',
  'output',
  'effect',
  'risk',
  'irreversible',
  'timeout',
  'retry',
  'maxInvalidCalls',
  'parallel',
  'settle',
  'limits',
  'breaker',
  'authorization',
  'locks',
  'expectedDuration',
  'cost',
  'category',
  'tags',
  'examples',
  'sandbox',
  'fallback',
  'migrate',
  'cache',
  'publishes',
  'inputs',
  'requires',
  'aliases',
  'run',
  'undo',
  'execute',
  'verify',
];
/** Fields that promise safety by machinery that does not exist yet: accepting them would be a lie. */
const notEnforced = ['permissions', 'budget'];

/**
 * Declares a tool and gives back its frozen contract.
 *
 * @throws AxleError `contract-invalid` (a field is missing, wrong or unknown), `contract-field-not-enforced` (a safety field whose
 *   machinery does not exist yet), `schema-unsupported`, `schema-too-large`.
 */
export function tool<In extends StandardSchema, Out extends StandardSchema = StandardSchema>(
  declaration: TypedTool<In, Out>,
): Contract;
export function tool<In extends StandardSchema, Out extends StandardSchema = StandardSchema>(
  declaration: TypedProgramTool<In, Out>,
): Contract;
export function tool(declaration: JsonProgramTool): Contract;
export function tool(declaration: JsonTool): Contract;
export function tool(declaration: object): Contract {
  if (!isRecord(declaration)) throw new AxleError('contract-invalid', 'A tool is declared with an object.');
  const label = typeof declaration['name'] === 'string' ? declaration['name'] : '(without a name)';
  const fields: Fields = { owner: `Tool ${label}`, values: declaration };
  refuseNotEnforced(fields);
  refuseUnknown(fields, knownFields);
  const { execute, verify } = declaration;
  const program = readProgram(fields);
  if (program === undefined && !isExecute(execute)) throw invalid(fields, 'execute', 'a function');
  if (verify !== undefined && !isVerify(verify)) throw invalid(fields, 'verify', 'a function');

  const fallback = readFallback(fields);
  const said = readFacts(fields, { canVerify: verify !== undefined, fallback, sandbox: program?.sandbox.properties });
  const { input, output } = readSchemas(fields, label);
  const context = readContext(fields, input);
  checkLockNames(fields, said.terms.locks ?? [], input.json);
  const facts = { ...said, terms: deepFreeze({ ...said.terms, ...contextTerms(context) }) };
  const examples = readExamples(fields, input, output);
  const undo = readUndo(fields, facts);
  const aliases = readAliases(fields, input.json);
  const { declaration: declared, ...hashed } = hashes(
    { ...declaredIn(facts), ...program, examples, ...defined({ undo: undo?.pin.hash, aliases }) },
    { input, output, context },
  );
  const pin = { name: facts.name, version: facts.version, terms: facts.terms, ...hashed };
  const migrations = readMigrations(fields, facts.version);
  return Object.freeze({
    ...facts,
    examples,
    input,
    ...defined({ output, migrations, aliases, undo: undo && undoWith(undo, aliases) }),
    ...context,
    pin: Object.freeze(pin),
    fallback,
    declaration: declared,
    ...program,
    execute: async (value: JsonValue, context: ToolContext): Promise<unknown> => {
      // A program has no function; whoever performs its calls has a sandbox.
      if (!isExecute(execute)) throw noFunction(label);
      return execute.call(declaration, value, context);
    },
    ...(verify === undefined
      ? {}
      : {
          verify: async (value: JsonValue, context: ToolContext): Promise<VerifyAnswer> =>
            verify.call(declaration, value, context),
        }),
  });
}

/** What takes a call back is handed its arguments: the same of them are aliases. */
function undoWith(undo: Contract, aliases: Contract['aliases']): Contract {
  if (aliases === undefined) return undo;
  return Object.freeze({ ...undo, aliases: aliases.map((each) => ({ ...each, path: ['input', ...each.path] })) });
}

function noFunction(label: string): AxleError {
  return new AxleError('sandbox-unavailable', `Tool ${label} is a program, and nothing here can run programs.`);
}

function refuseNotEnforced(fields: Fields): void {
  const declared = notEnforced.find((field) => fields.values[field] !== undefined);
  if (declared === undefined) return;
  throw new AxleError(
    'contract-field-not-enforced',
    `${fields.owner}: ${declared} is not enforced by this release, so it is refused.`,
    {
      details: { field: declared },
    },
  );
}

interface Schemas {
  readonly input: CheckedSchema;
  readonly output?: CheckedSchema;
}

function readSchemas(fields: Fields, label: string): Schemas {
  const { input, output } = fields.values;
  if (input === undefined) throw invalid(fields, 'input', 'a Standard Schema or a JSON Schema');
  const checked = toCheckedSchema(input, 'input', `The input schema of tool ${label}`);
  const type = checked.json['type'];
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) {
    throw invalid(
      fields,
      'input',
      `a schema of an object, since models send named arguments (its type is ${JSON.stringify(type)})`,
    );
  }
  if (output === undefined) return { input: checked };
  return { input: checked, output: toCheckedSchema(output, 'output', `The output schema of tool ${label}`) };
}

/** What of the facts can be hashed: a function that makes cache keys leaves no trace but that there is one. */
function declaredIn({ cacheKey, ...facts }: Facts): Omit<Facts, 'cacheKey'> & { readonly cacheKey?: JsonValue } {
  if (cacheKey === undefined) return facts;
  return { ...facts, cacheKey: typeof cacheKey === 'function' ? 'function' : cacheKey };
}

interface HashedParts {
  readonly input: CheckedSchema;
  readonly output: CheckedSchema | undefined;
  readonly context: DeclaredContext;
}

/** `hash` changes with anything that is declared; `shape` only with what a run under way depends on. */
function hashes(
  facts: ReturnType<typeof declaredIn> &
    Pick<Contract, 'aliases' | 'examples' | 'program' | 'sandbox'> & { readonly undo?: string },
  { input, output, context }: HashedParts,
): { readonly hash: string; readonly shape: string; readonly declaration: string } {
  const schemas = { input: input.json, output: output?.json ?? null, ...plainContext(context) };
  const shape = sha256(canonicalJson({ ...schemas, effect: facts.effect }));
  const declaration = canonicalJson(toJson({ ...facts, ...schemas }));
  return { hash: sha256(declaration), shape, declaration };
}

// What stands behind these two was checked as far as it can be: a function's parameters leave no trace at run time. The schema
// that checks every input is the one from which the overloads of `tool` take the parameters' types.
function isExecute(value: unknown): value is (input: JsonValue, context: ToolContext) => unknown {
  return typeof value === 'function';
}
function isVerify(
  value: unknown,
): value is (input: JsonValue, context: ToolContext) => VerifyAnswer | Promise<VerifyAnswer> {
  return typeof value === 'function';
}
