/** `tool()`: declares a contract. Everything that Axle does with a tool's calls follows from this one declaration. */
import type { Effect, Risk } from '../call/effect.ts';
import { AxleError } from '../error/axle-error.ts';
import { defined } from '../util/defined.ts';
import { sha256 } from '../util/hash.ts';
import { canonicalJson, isRecord, type JsonObject, type JsonValue, toJson } from '../util/json.ts';
import { readExamples } from './declare/examples.ts';
import { type Facts, readFacts } from './declare/facts.ts';
import { type Fields, invalid, refuseUnknown } from './declare/fields.ts';
import type { CheckedSchema, Contract, ToolContext, VerifyAnswer } from './contract.ts';
import { toCheckedSchema } from './schema/checked-schema.ts';
import type { InputOf, OutputOf, StandardSchema } from './schema/standard-schema.ts';

/** What a declaration says apart from schemas and code. */
export interface ToolFacts {
  /** Letters, digits, `_`, `-` and `.`, at most 128; dots make groups that an agent can be granted together (`crm.*`). */
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
  /** True when calls of an `idempotent` tool may overlap. @defaultValue false */
  readonly parallel?: boolean;
  /** How long after an attempt's time limit `verify` is not believed when it says that nothing happened. @defaultValue 0 */
  readonly settle?: number | string;
  /** How long a call usually takes. Shown, not enforced. */
  readonly expectedDuration?: number | string;
  /** What a call usually costs. Shown, not enforced. */
  readonly cost?: { readonly usd: number };
  readonly category?: string;
  readonly tags?: readonly string[];
  /** The only sandbox that exists so far is none. */
  readonly sandbox?: 'none';
}

/** A declaration whose schemas are Standard Schemas: input and output of its code have their types. */
export interface TypedTool<In extends StandardSchema, Out extends StandardSchema> extends ToolFacts {
  readonly input: In;
  readonly output?: Out;
  /** Checked against the schemas at declaration; the first is shown to the model, and again when it gets the arguments wrong. */
  readonly examples?: ReadonlyArray<{ readonly input: InputOf<In>; readonly output?: unknown }>;
  execute(input: OutputOf<In>, context: ToolContext): InputOf<Out> | Promise<InputOf<Out>>;
  /** Finds out whether a call in doubt had its effect. Must change nothing. */
  verify?(input: OutputOf<In>, context: ToolContext): VerifyAnswer | Promise<VerifyAnswer>;
}

/** A declaration whose schemas are JSON Schema 2020-12 (or draft-07, where `$schema` says so). */
export interface JsonTool extends ToolFacts {
  readonly input: JsonSchemaObject;
  readonly output?: JsonSchemaObject;
  readonly examples?: ReadonlyArray<{ readonly input: JsonValue; readonly output?: JsonValue }>;
  execute(input: JsonObject, context: ToolContext): unknown;
  verify?(input: JsonObject, context: ToolContext): VerifyAnswer | Promise<VerifyAnswer>;
}

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
  'parallel',
  'settle',
  'expectedDuration',
  'cost',
  'category',
  'tags',
  'examples',
  'sandbox',
  'execute',
  'verify',
];
/** Fields that promise safety by machinery that does not exist yet: accepting them would be a lie. */
const notEnforced = ['permissions', 'limits', 'budget', 'cache', 'fallback', 'requires', 'undo'];

/**
 * Declares a tool and gives back its frozen contract.
 *
 * @throws AxleError `contract-invalid` (a field is missing, wrong or unknown), `contract-field-not-enforced` (a safety field whose
 *   machinery does not exist yet), `schema-unsupported`.
 */
export function tool<In extends StandardSchema, Out extends StandardSchema = StandardSchema>(
  declaration: TypedTool<In, Out>,
): Contract;
export function tool(declaration: JsonTool): Contract;
export function tool(declaration: object): Contract {
  if (!isRecord(declaration)) throw new AxleError('contract-invalid', 'A tool is declared with an object.');
  const label = typeof declaration['name'] === 'string' ? declaration['name'] : '(without a name)';
  const fields: Fields = { owner: `Tool ${label}`, values: declaration };
  refuseNotEnforced(fields);
  refuseUnknown(fields, knownFields);
  const { execute, verify } = declaration;
  if (!isExecute(execute)) throw invalid(fields, 'execute', 'a function');
  if (verify !== undefined && !isVerify(verify)) throw invalid(fields, 'verify', 'a function');

  const facts = readFacts(fields, verify !== undefined);
  const { input, output } = readSchemas(fields, label);
  const examples = readExamples(fields, input, output);
  const pin = {
    name: facts.name,
    version: facts.version,
    terms: facts.terms,
    ...hashes({ ...facts, examples }, input, output),
  };
  return Object.freeze({
    ...facts,
    examples,
    input,
    ...defined({ output }),
    pin: Object.freeze(pin),
    execute: async (value: JsonValue, context: ToolContext): Promise<unknown> =>
      execute.call(declaration, value, context),
    ...(verify === undefined
      ? {}
      : {
          verify: async (value: JsonValue, context: ToolContext): Promise<VerifyAnswer> =>
            verify.call(declaration, value, context),
        }),
  });
}

function refuseNotEnforced(fields: Fields): void {
  const { sandbox } = fields.values;
  const declared =
    notEnforced.find((field) => fields.values[field] !== undefined) ??
    (sandbox === undefined || sandbox === 'none' ? undefined : 'sandbox');
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

/** `hash` changes with anything that is declared; `shape` only with what a run under way depends on. */
function hashes(
  facts: Facts & Pick<Contract, 'examples'>,
  input: CheckedSchema,
  output: CheckedSchema | undefined,
): { hash: string; shape: string } {
  const schemas = { input: input.json, output: output?.json ?? null };
  const shape = sha256(canonicalJson({ ...schemas, effect: facts.effect }));
  return { hash: sha256(canonicalJson(toJson({ ...facts, ...schemas }))), shape };
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
