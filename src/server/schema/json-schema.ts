/** JSON Schema as code, short enough to be read beside the types of `wire.ts`. */
import type { JsonObject, JsonValue } from '../../util/json.ts';

export const text: JsonObject = { type: 'string' };
/** What a person or a program calls something, in at most 1,000 characters. */
export const name: JsonObject = { ...text, minLength: 1, maxLength: 1_000 };
export const flag: JsonObject = { type: 'boolean' };
export const number: JsonObject = { type: 'number' };
/** A whole number that is not negative. */
export const count: JsonObject = { type: 'integer', minimum: 0 };
export const time: JsonObject = { type: 'number', description: 'Milliseconds since 1970.' };
/** Any JSON value. */
export const anything: JsonObject = {};
/** An object whose fields are not told here. */
export const open: JsonObject = { type: 'object' };

export function object(
  required: Readonly<Record<string, JsonObject>>,
  optional: Readonly<Record<string, JsonObject>> = {},
): JsonObject {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) };
}

/** An object of a request: what it does not know it refuses, since a misspelt field would be lost without a word. */
export function strictObject(
  required: Readonly<Record<string, JsonObject>>,
  optional: Readonly<Record<string, JsonObject>> = {},
): JsonObject {
  return { ...object(required, optional), additionalProperties: false };
}

export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

export function oneOf(values: readonly JsonValue[]): JsonObject {
  return { enum: values };
}

/** A schema of `components`. */
export function named(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
