/** Where two JSON values first differ, in the order of the keys of the canonical form. */
import { pointerTo } from '../contract/pointer.ts';
import { canonicalJson, isJsonArray, isJsonObject, isRecord, type JsonValue } from '../util/json.ts';

/** A place in two values; undefined on the side where it is not there. */
export interface ValueDifference {
  /** JSON Pointer (RFC 6901). */
  readonly path: string;
  readonly left: JsonValue | undefined;
  readonly right: JsonValue | undefined;
}

/** Entries and states are JSON data; interfaces hide that from the compiler. Unlike `toJson` it takes any depth that could be stored. */
export function jsonOf(value: object): JsonValue {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  return isParsed(parsed) ? parsed : null;
}

// What `JSON.parse` gives is JSON through and through.
function isParsed(value: unknown): value is JsonValue {
  return value !== undefined;
}

/** Undefined when the canonical JSON of both is the same text. */
export function firstDifference(
  left: JsonValue | undefined,
  right: JsonValue | undefined,
): ValueDifference | undefined {
  const [first] = differences(left, right, 1);
  return first;
}

/** The same for entries, states and the like; they are made plain only where they are not alike, and nearly always they are. */
export function firstDifferenceOf(left: object, right: object): ValueDifference | undefined {
  return isAlike(left, right) ? undefined : firstDifference(jsonOf(left), jsonOf(right));
}

/** True only for data whose canonical JSON is the same text: a field that is undefined is none. */
export function isAlike(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    const others: readonly unknown[] = right;
    return left.length === others.length && left.every((item, index) => isAlike(item, others[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  let more = 0;
  // Walked by key, as nothing here inherits any: lists of them would be made for every object of every entry.
  for (const key in left) {
    const item = left[key];
    if (item === undefined) continue;
    if (!isAlike(item, right[key])) return false;
    more += 1;
  }
  for (const key in right) if (right[key] !== undefined) more -= 1;
  return more === 0;
}

/** The first of the places in which two values differ. */
export function differences(
  left: JsonValue | undefined,
  right: JsonValue | undefined,
  most: number,
): readonly ValueDifference[] {
  const found: ValueDifference[] = [];
  collect({ path: '', left, right }, found, most);
  return found;
}

function collect({ path, left, right }: ValueDifference, found: ValueDifference[], most: number): void {
  if (found.length >= most || isSame(left, right)) return;
  if (isJsonObject(left) && isJsonObject(right)) {
    for (const key of [...new Set([...Object.keys(left), ...Object.keys(right)])].toSorted()) {
      collect({ path: pointerTo(path, key), left: left[key], right: right[key] }, found, most);
    }
  } else if (isJsonArray(left) && isJsonArray(right)) {
    for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
      collect({ path: pointerTo(path, index), left: left[index], right: right[index] }, found, most);
    }
  } else {
    found.push({ path, left, right });
  }
}

function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return canonicalJson(left) === canonicalJson(right);
}
