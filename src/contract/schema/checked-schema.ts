/** Schemas as a contract needs them: able to describe themselves as JSON Schema, and to check a value at once. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { AxleError, isAxleError, messageOf } from '../../error/axle-error.ts';
import { withinPatternLimit } from '../../util/bounded-pattern.ts';
import { isJsonObject, isRecord, type JsonObject, type JsonValue, toJson } from '../../util/json.ts';
import type { Checked, CheckedSchema, SchemaIssue } from '../contract.ts';
import { canonicalCopy, compileJsonSchema, declareJsonSchema } from './json-schema.ts';
import { assertSchemaSize } from './schema-size.ts';
import { plainJson } from './plain-json.ts';
import { pointerTo } from '../pointer.ts';
import { isStandardSchema, type StandardIssue, type StandardSchema } from './standard-schema.ts';

/** Issues of one check that are kept: nobody reads more, and a hostile value can have many. */
const maxIssues = 50;

/**
 * Turns a Standard Schema (that can describe itself as JSON Schema) or a JSON Schema into one form.
 *
 * @param owner Names the schema in messages, for example `The input schema of refund`.
 * @throws AxleError `schema-unsupported`, `schema-too-large`
 */
export function toCheckedSchema(schema: unknown, side: 'input' | 'output', owner: string): CheckedSchema {
  return isStandardSchema(schema) ? fromStandardSchema(schema, side, owner) : fromJsonSchema(schema, owner);
}

function fromJsonSchema(schema: unknown, owner: string): CheckedSchema {
  const declared = declareJsonSchema(schema, owner);
  let validate: ValidateFunction | undefined;
  const check = (value: JsonValue): Checked => {
    const fits = (validate ??= compileJsonSchema(declared, owner));
    if (withinPatternLimit(() => fits(value))) return { ok: true, value };
    return {
      ok: false,
      issues: telling(fits.errors ?? [])
        .slice(0, maxIssues)
        .map(issueOf),
    };
  };
  return Object.freeze({ json: declared.json, check });
}

/** Where alternatives failed, what each of them missed says less than that none fitted, unless it says it of a deeper place. */
function telling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const alternatives = errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf');
  return errors.filter(
    (error) =>
      !alternatives.some(
        (choice) =>
          choice !== error &&
          error.instancePath === choice.instancePath &&
          error.schemaPath.startsWith(`${choice.schemaPath}/`),
      ),
  );
}

function issueOf(error: ErrorObject): SchemaIssue {
  const parameters: unknown = error.params;
  const member = memberOf(parameters);
  return {
    path: member === undefined ? error.instancePath : pointerTo(error.instancePath, member),
    message: error.message ?? error.keyword,
    keyword: error.keyword,
  };
}

/** The member that is missing or too many: Ajv names the object around it. */
function memberOf(parameters: unknown): string | undefined {
  if (!isRecord(parameters)) return undefined;
  const { missingProperty, additionalProperty, unevaluatedProperty } = parameters;
  return [missingProperty, additionalProperty, unevaluatedProperty].find((member) => typeof member === 'string');
}

function fromStandardSchema(schema: StandardSchema, side: 'input' | 'output', owner: string): CheckedSchema {
  const json = describe(schema, side, owner);
  const check = (value: JsonValue): Checked => {
    const result = validate(schema, value, owner);
    if (result.issues !== undefined) {
      return { ok: false, issues: result.issues.slice(0, maxIssues).map(standardIssueOf) };
    }
    const plain = plainJson(result.value);
    if (plain.ok) return plain;
    throw new AxleError(
      'schema-unsupported',
      `${owner} made ${plain.what} of the value at ${plain.path === '' ? 'the top' : plain.path}, which the journal cannot keep.`,
      { remedy: 'Leave the value JSON in the schema, and convert it in execute.' },
    );
  };
  return Object.freeze({ json, check });
}

function describe(schema: StandardSchema, side: 'input' | 'output', owner: string): JsonObject {
  const converter = schema['~standard'].jsonSchema;
  if (converter === undefined) {
    throw new AxleError(
      'schema-unsupported',
      `${owner} (${schema['~standard'].vendor}) cannot describe itself as JSON Schema.`,
    );
  }
  try {
    const { $schema: _, ...described } = converter[side]({ target: 'draft-2020-12' });
    const json = canonicalCopy(asRecord(toJson(described)));
    assertSchemaSize(json, owner);
    return json;
  } catch (error) {
    if (isAxleError(error, 'schema-too-large')) throw error;
    throw new AxleError('schema-unsupported', `${owner} cannot be described as JSON Schema: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function asRecord(json: JsonValue): JsonObject {
  return isJsonObject(json) ? json : {};
}

function validate(
  schema: StandardSchema,
  value: JsonValue,
  owner: string,
): Awaited<ReturnType<StandardSchema['~standard']['validate']>> {
  let result;
  try {
    result = schema['~standard'].validate(value);
  } catch (error) {
    throw new AxleError('schema-unsupported', `${owner} threw while it checked a value.`, { cause: error });
  }
  if (!(result instanceof Promise)) return result;
  // Nobody waits for it, so nobody may be surprised by its rejection.
  result.catch(() => undefined);
  throw new AxleError('schema-unsupported', `${owner} checks with a promise, and a check must answer at once.`, {
    remedy: 'Move what needs to wait from the schema into execute.',
  });
}

function standardIssueOf(issue: StandardIssue): SchemaIssue {
  let path = '';
  for (const segment of issue.path ?? []) {
    const key = typeof segment === 'object' ? segment.key : segment;
    path = pointerTo(path, typeof key === 'symbol' ? key.toString() : key);
  }
  return { path, message: issue.message };
}
