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
import { sha256 } from '../../util/hash.ts';
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
  addUsedSchema: false,
  logger: false,
  code: { regExp: Object.assign(tolerantRegExp, { code: 'tolerantRegExp' }) },
};
const engines: Record<Dialect, Ajv | undefined> = { '2020-12': undefined, 'draft-07': undefined };

/** The pattern with Unicode rules where it has them, else as older JavaScript reads it: schemas in the wild carry both kinds. */
function tolerantRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

function engineOf(dialect: Dialect): Ajv {
  const engine = engines[dialect] ?? (dialect === '2020-12' ? new Ajv2020(options) : new Ajv(options));
  engines[dialect] = engine;
  return engine;
}

/**
 * Takes a JSON Schema as somebody declared it.
 * @throws AxleError `schema-unsupported` when it is none, or refers to something outside of itself.
 */
export function declareJsonSchema(schema: unknown, owner: string): DeclaredSchema {
  const given = toJson(schema);
  if (!isJsonObject(given)) throw unsupported(owner, 'is neither a Standard Schema nor a JSON Schema object');
  const named = given['$schema'];
  const { $schema: _, ...rest } = given;
  const dialect = dialectOf(named, rest);
  const faults = metaFaults(rest, dialect);
  if (faults !== undefined) throw unsupported(owner, `is not valid as JSON Schema ${dialect}: ${faults}`);
  const json = canonicalCopy(
    dialect === '2020-12' ? rest : { ...rest, $schema: 'http://json-schema.org/draft-07/schema#' },
  );
  const text = canonicalJson(json);
  const declared = { json, dialect, hash: sha256(text) };
  // Only a compilation finds out whether references lead somewhere, and a tool that cannot be called had better not be declared.
  if (/"\$(?:dynamicR|r)ef":/.test(text)) compileJsonSchema(declared, owner);
  return declared;
}

/** What compiles a schema: the dialect it names, 2020-12 for one that nobody knows, draft-07 for one that names none and fits only that. */
function dialectOf(named: JsonValue | undefined, schema: JsonObject): Dialect {
  if (typeof named === 'string' && /draft-0[4-7]/.test(named)) return 'draft-07';
  if (named !== undefined || metaFaults(schema, '2020-12') === undefined) return '2020-12';
  return metaFaults(schema, 'draft-07') === undefined ? 'draft-07' : '2020-12';
}

function metaFaults(schema: JsonObject, dialect: Dialect): string | undefined {
  const engine = engineOf(dialect);
  if (engine.validateSchema(schema) === true) return undefined;
  const first = engine.errors?.[0];
  return first === undefined
    ? 'unknown fault'
    : `${first.instancePath === '' ? 'the schema' : first.instancePath} ${first.message ?? first.keyword}`;
}

/**
 * The check of a schema; compiled on first use and shared by equal schemas.
 * @throws AxleError `schema-unsupported` when it cannot be compiled.
 */
export function compileJsonSchema(schema: DeclaredSchema, owner: string): ValidateFunction {
  const known = compiledByHash.get(schema.hash);
  if (known !== undefined) return known;
  const engine = engineOf(schema.dialect);
  try {
    const compiled = engine.compile(schema.json);
    for (const oldest of compiledByHash.keys()) {
      if (compiledByHash.size < maxCompiled) break;
      compiledByHash.delete(oldest);
    }
    compiledByHash.set(schema.hash, compiled);
    return compiled;
  } catch (error) {
    throw unsupported(owner, `cannot be compiled: ${messageOf(error)}`, error);
  } finally {
    // Ajv keeps what it compiled under the identity of the object, for ever; the map above has a limit.
    engine.removeSchema(schema.json);
  }
}

function unsupported(owner: string, what: string, cause?: unknown): AxleError {
  return new AxleError('schema-unsupported', `${owner} ${what}.`, cause === undefined ? {} : { cause });
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
