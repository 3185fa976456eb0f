/**
 * JSON Schemas, compiled by Ajv.
 *
 * S1 A schema changes no value: coercion, defaults and removal of properties stay off. Repair is a stage of its own, and recorded.
 * S2 A schema reaches nothing outside of itself: a `$ref` that leads elsewhere is refused, never fetched.
 * S3 `format` is a remark, as 2020-12 has it: models and people read it, nobody is refused for it.
 */
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import { defined } from '../../util/defined.ts';
import { sha256 } from '../../util/hash.ts';
import { assertSchemaSize } from './schema-size.ts';
import { flatSchema, needsFlattening } from './flat-schema.ts';
import { boundedPattern } from '../../util/bounded-pattern.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, toJson } from '../../util/json.ts';

export type Dialect = '2020-12' | 'draft-07';

/** A JSON Schema that is known to be one. */
export interface DeclaredSchema {
  /** Keys sorted, frozen; `$schema` only where the dialect is not 2020-12. */
  readonly json: JsonObject;
  readonly dialect: Dialect;
  readonly hash: string;
}

/** Compiled schemas kept for the next contract that declares an equal one; the oldest goes first. */
const maxCompiled = 1000;
const compiledByHash = new Map<string, ValidateFunction>();

const options: Options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateFormats: false,
  validateSchema: false,
  logger: false,
  // Patterns come from whoever wrote the schema, an MCP server for example.
  code: { regExp: Object.assign((source: string) => boundedPattern(source), { code: 'boundedPattern' }) },
};
/** These only judge whether something is a JSON Schema at all. */
const judges: Record<Dialect, Ajv | undefined> = { '2020-12': undefined, 'draft-07': undefined };

/**
 * Takes a JSON Schema as somebody declared it.
 * @throws AxleError `schema-unsupported` when it is none, or refers to something outside of itself; `schema-too-large`.
 */
export function declareJsonSchema(schema: unknown, owner: string): DeclaredSchema {
  const given = asObject(jsonOf(schema, owner));
  if (!isJsonObject(given)) throw unsupported(owner, 'is neither a Standard Schema nor a JSON Schema object');
  assertSchemaSize(given, owner);
  const { $schema: named, ...rest } = given;
  const { dialect, fault } = judge(rest, named);
  if (fault !== undefined) throw unsupported(owner, `is not valid as JSON Schema ${dialect}: ${fault}`);
  const json = canonicalCopy(
    dialect === '2020-12' ? rest : { ...rest, $schema: 'http://json-schema.org/draft-07/schema#' },
  );
  const text = canonicalJson(json);
  const declared = { json, dialect, hash: sha256(text) };
  // Only a compilation finds out whether references lead somewhere, and a tool that cannot be called had better not be declared.
  if (/"\$(?:dynamicR|r)ef":/.test(text)) compileJsonSchema(declared, owner);
  return declared;
}

/** The two schemas that are no objects: everything fits, and nothing does. */
function asObject(schema: JsonValue): JsonValue {
  if (typeof schema !== 'boolean') return schema;
  return schema ? {} : { not: {} };
}

function jsonOf(schema: unknown, owner: string): JsonValue {
  try {
    return toJson(schema);
  } catch (error) {
    throw unsupported(owner, `is not JSON: ${messageOf(error)}`, error);
  }
}

/** The dialect a schema names; 2020-12 for one that nobody knows, draft-07 for one that names none and is valid only there. */
function judge(
  schema: JsonObject,
  named: JsonValue | undefined,
): { readonly dialect: Dialect; readonly fault?: string | undefined } {
  if (typeof named === 'string' && /draft-0[4-7]/.test(named)) {
    return { dialect: 'draft-07', fault: faultOf(schema, 'draft-07') };
  }
  const fault = faultOf(schema, '2020-12');
  const older = fault !== undefined && named === undefined && faultOf(schema, 'draft-07') === undefined;
  return older ? { dialect: 'draft-07' } : { dialect: '2020-12', fault };
}

/** What makes a value no JSON Schema of the dialect. */
function faultOf(schema: JsonObject, dialect: Dialect): string | undefined {
  const engine = judges[dialect] ?? (dialect === '2020-12' ? new Ajv2020(options) : new Ajv(options));
  judges[dialect] = engine;
  if (engine.validateSchema(schema) === true) return undefined;
  const first = engine.errors?.[0];
  const place = first === undefined || first.instancePath === '' ? 'the whole' : first.instancePath;
  return `${place} ${first?.message ?? 'is at fault'}`;
}

/**
 * The check of a schema; compiled on first use and shared by equal schemas.
 * @throws AxleError `schema-unsupported` when it cannot be compiled.
 */
export function compileJsonSchema(schema: DeclaredSchema, owner: string): ValidateFunction {
  const known = compiledByHash.get(schema.hash);
  if (known !== undefined) return known;
  try {
    // An engine of its own: it remembers every schema and every `$id` it has met, and one tool's must not be found by another's.
    const Engine = schema.dialect === '2020-12' ? Ajv2020 : Ajv;
    const text = canonicalJson(schema.json);
    // What describes JSON Schema itself is loaded only for a schema that refers to it.
    const meta = text.includes('"$ref":"https://json-schema.org/');
    const isFlat = schema.dialect !== '2020-12' || !needsFlattening(text);
    const compiled = new Engine({ ...options, meta }).compile(isFlat ? schema.json : flatSchema(schema.json));
    for (const oldest of compiledByHash.keys()) {
      if (compiledByHash.size < maxCompiled) break;
      compiledByHash.delete(oldest);
    }
    compiledByHash.set(schema.hash, compiled);
    return compiled;
  } catch (error) {
    throw unsupported(owner, `cannot be compiled: ${messageOf(error)}`, error);
  }
}

function unsupported(owner: string, what: string, cause?: unknown): AxleError {
  return new AxleError('schema-unsupported', `${owner} ${what}.`, defined({ cause }));
}

/** A frozen copy with sorted keys, so that equal schemas are one text. */
export function canonicalCopy(json: JsonObject): JsonObject {
  const copy = frozenSorted(json);
  return isJsonObject(copy) ? copy : json;
}

function frozenSorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (!isJsonObject(value)) return Object.freeze(Object.values(value).map(frozenSorted));
  const sorted: Record<string, JsonValue> = {};
  for (const key of Object.keys(value).toSorted()) {
    const member = value[key];
    if (member !== undefined) sorted[key] = frozenSorted(member);
  }
  return Object.freeze(sorted);
}
