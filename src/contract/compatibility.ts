/**
 * What is different between two contracts, field by field, in words: why a run cannot go on with the one in place of the other.
 *
 * It explains, and decides nothing: a run goes on when the shapes are equal (`run-code.ts`). It reads declarations, which are what the hash of a contract is
 * made over, so the other contract need not be registered, nor its code be there.
 */
import { cutText } from '../util/cut-text.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import { pointerTo } from './pointer.ts';

/** Differences that are named; the others are counted. */
const maxChanges = 20;
const maxValueLength = 60;

/** Differences in what a run depends on (schemas, effect, mapped fields) between two declarations. */
export function changesBetween(before: JsonObject, after: JsonObject): readonly string[] {
  const changes: string[] = [];
  for (const field of ['input', 'output'] as const) {
    compareSchemas(before[field] ?? null, after[field] ?? null, { at: field, changes });
  }
  for (const field of ['effect', 'publishes', 'inputs', 'requires'] as const) {
    if (textOf(before[field]) === textOf(after[field])) continue;
    changes.push(`${field} was ${shown(before[field])} and is ${shown(after[field])}`);
  }
  return changes.length <= maxChanges
    ? changes
    : [...changes.slice(0, maxChanges), `and ${changes.length - maxChanges} more`];
}

interface Place {
  /** Where the schemas stand: `input`, `input/address`. */
  readonly at: string;
  readonly changes: string[];
}

function compareSchemas(before: JsonValue, after: JsonValue, { at, changes }: Place): void {
  if (textOf(before) === textOf(after)) return;
  if (!isJsonObject(before) || !isJsonObject(after)) {
    changes.push(`${at} was ${shown(before)} and is ${shown(after)}`);
    return;
  }
  const [oldFields, newFields] = [objectAt(before, 'properties'), objectAt(after, 'properties')];
  const [oldRequired, newRequired] = [namesAt(before, 'required'), namesAt(after, 'required')];
  for (const name of Object.keys(oldFields)) {
    if (newFields[name] === undefined) changes.push(`${pointerTo(at, name)} is gone`);
  }
  for (const [name, schema] of Object.entries(newFields)) {
    const old = oldFields[name];
    const path = pointerTo(at, name);
    const isRequired = newRequired.includes(name);
    if (old === undefined) {
      changes.push(`${path} is new${isRequired ? ' and required' : ''}`);
      continue;
    }
    if (isRequired !== oldRequired.includes(name)) {
      changes.push(`${path} is ${isRequired ? 'now' : 'no longer'} required`);
    }
    compareSchemas(old, schema, { at: path, changes });
  }
  for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (keyword === 'properties' || keyword === 'required') continue;
    const [old, now] = [before[keyword], after[keyword]];
    if (textOf(old) === textOf(now)) continue;
    if (keyword === 'items' && isJsonObject(old) && isJsonObject(now)) {
      compareSchemas(old, now, { at: `${at}/items`, changes });
    } else changes.push(`${keyword} of ${at} was ${shown(old)} and is ${shown(now)}`);
  }
}

function objectAt(schema: JsonObject, keyword: string): JsonObject {
  const value = schema[keyword];
  return isJsonObject(value) ? value : {};
}

function namesAt(schema: JsonObject, keyword: string): readonly string[] {
  const names: unknown = schema[keyword];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? '' : canonicalJson(value);
}

function shown(value: JsonValue | undefined): string {
  return value === undefined || value === null ? 'not there' : cutText(canonicalJson(value), maxValueLength);
}
