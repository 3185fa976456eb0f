/**
 * JSON as data: what can be stored, in one canonical form.
 *
 * J1 A value that passes `toJson` survives `JSON.parse(JSON.stringify(value))` unchanged.
 * J2 `canonicalJson` of equal values is the same text, whatever the order of their keys (RFC 8785, for the values that J1 admits).
 */
import { AxleError } from '../error/axle-error.ts';
import { cutText } from './cut-text.ts';

export type JsonPrimitive = string | number | boolean | null;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
/** A value that the journal can keep. */
export type JsonValue = JsonPrimitive | JsonArray | JsonObject;

/** Deeper data makes `JSON.stringify` fail somewhere between 5,000 and 10,000 levels; nobody means even a hundred. */
export const maxDepth = 100;

/** True for an object with named keys: no array, no null. Says nothing about the values in it. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for JSON data that is an object with named keys. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}

/** True for JSON data that is a list; `Array.isArray` widens the items to `any`. */
export function isJsonArray(value: JsonValue | undefined): value is JsonArray {
  return Array.isArray(value);
}

/** The object that a JSON text holds; undefined for any other text. */
export function jsonObjectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isParsedObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// What `JSON.parse` gives is JSON through and through.
function isParsedObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

/**
 * Turns what a tool or a caller handed in into JSON data, in a documented form: `undefined` becomes null at the top and is left out
 * inside; -0 becomes 0; a Date becomes its ISO text; a Map an object of its string keys; a Set an array; an Error its name and message; NaN and the infinities their
 * names as text; a BigInt its digits as text; anything with `toJSON` what that returns.
 *
 * @throws AxleError `value-not-storable`, with the path, for functions, symbols, binary data, a key `__proto__`, cycles and data deeper than 100 levels.
 */
export function toJson(value: unknown): JsonValue {
  return convert(value, '', 0) ?? null;
}

function convert(value: unknown, path: string, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : value.toWellFormed();
    case 'boolean':
      return value;
    case 'number':
      // JSON text has no -0, and adding 0 changes no other number.
      return Number.isFinite(value) ? value + 0 : String(value);
    case 'bigint':
      return value.toString();
    case 'undefined':
      return undefined;
    case 'function':
    case 'symbol':
      throw notStorable(path, `a ${typeof value}`);
    case 'object':
      return value === null ? null : convertObject(value, path, depth);
  }
}

function convertObject(value: object, path: string, depth: number): JsonValue | undefined {
  if (depth >= maxDepth) throw notStorable(path, `nested deeper than ${maxDepth} levels, or contains itself`);
  // `Array.from` and not `map`, which would leave holes in.
  if (Array.isArray(value)) return convertItems(value, path, depth);
  if (isDate(value)) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Error) {
    return convertPairs(Object.entries({ name: value.name, message: value.message }), path, depth);
  }
  if (value instanceof Map) {
    return convertPairs(
      Array.from(value, ([key, item]) => [String(key), item]),
      path,
      depth,
    );
  }
  if (value instanceof Set) return convertItems(value, path, depth);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) throw notStorable(path, 'binary data');
  if (hasToJson(value)) return convert(value.toJSON(), path, depth + 1);
  return convertPairs(Object.entries(value), path, depth);
}

// The name itself is kept out of the core, where nothing may ask the time of it.
function isDate(value: object): value is { getTime(): number; toISOString(): string } {
  return Object.prototype.toString.call(value) === '[object Date]';
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

function convertItems(items: Iterable<unknown>, path: string, depth: number): JsonArray {
  return Array.from(items, (item, index) => convert(item, `${path}/${index}`, depth + 1) ?? null);
}

function convertPairs(pairs: readonly (readonly [string, unknown])[], path: string, depth: number): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const [key, item] of pairs) {
    // `__proto__` as an own key would set the prototype on assignment.
    if (key === '__proto__') throw notStorable(`${path}/__proto__`, 'a key that would change the prototype');
    const converted = convert(item, `${path}/${key}`, depth + 1);
    if (converted !== undefined) object[key] = converted;
  }
  return object;
}

/** The path of a cycle repeats itself up to the greatest depth. */
const maxPathChars = 100;

function notStorable(path: string, what: string): AxleError {
  return new AxleError(
    'value-not-storable',
    `The value at ${path === '' ? 'the top' : cutText(path, maxPathChars)} is ${what}, which cannot be stored as JSON.`,
    {
      details: { path },
    },
  );
}

/** A copy that shares nothing with the value. */
export function copyOf(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonArray(value)) return value.map(copyOf);
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) copy[key] = copyOf(value[key] ?? null);
  return copy;
}

/** Freezes data through and through, and gives it back. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) {
    for (const item of value) deepFreeze(item);
    return value;
  }
  // Walked by key: `Object.values` would make an array of every object of every transcript.
  for (const key in value) {
    const item = value[key];
    if (typeof item === 'object') deepFreeze(item);
  }
  return value;
}

/** True for what can never change again. */
export function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}

/** The one text of a JSON value: keys sorted by UTF-16 code units, no spaces (RFC 8785). */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const parts: string[] = [];
  for (const key of Object.keys(value).toSorted()) {
    const item = value[key];
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(item)}`);
  }
  return `{${parts.join(',')}}`;
}
