/** Where two JSON values first differ, in the order of the keys of the canonical form. */
import { pointerTo } from '../contract/pointer.ts';
import { canonicalJson, isJsonArray, isJsonObject, type JsonValue } from '../util/json.ts';

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
