/** Repairs of the keys of an object: spelling, nulls for what is optional, keys that nobody knows. */
import { type BoundedPattern, boundedPattern } from '../../util/bounded-pattern.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { bareName, editDistance, nearMisses } from '../near-miss.ts';
import { pointerTo } from '../pointer.ts';
import type { RepairLog } from './repair-log.ts';
import { kindOf, listedValues, ownMember, type SchemaView } from '../schema/schema-view.ts';

/** A member of the model's object, under the key that the schema has for it. */
export interface Member {
  readonly key: string;
  /** The path as the model wrote it. */
  readonly path: string;
  readonly value: JsonValue;
}

/** What an object's schema says of its keys. */
export interface KeyRules {
  readonly declared: JsonObject;
  readonly required: ReadonlySet<string>;
  /** True when keys that are not declared are refused. */
  readonly closed: boolean;
  readonly patterns: readonly BoundedPattern[];
}

/** Keywords that may declare more keys in other places. */
const composers = ['allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', '$ref', '$dynamicRef'];

export function keyRulesOf(schema: JsonObject): KeyRules {
  const declared = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const patterns = isJsonObject(schema['patternProperties']) ? Object.keys(schema['patternProperties']) : [];
  return {
    declared,
    required: new Set(
      (isJsonArray(schema['required']) ? schema['required'] : []).filter((key) => typeof key === 'string'),
    ),
    closed:
      schema['additionalProperties'] === false ||
      (schema['unevaluatedProperties'] === false && !composers.some((keyword) => Object.hasOwn(schema, keyword))),
    patterns: patterns.flatMap((pattern) => patternOf(pattern)),
  };
}

function patternOf(pattern: string): BoundedPattern[] {
  try {
    return [boundedPattern(pattern)];
  } catch {
    return [];
  }
}

/** Unknown keys of one object that are looked at. */
const maxUnknownKeys = 30;

interface KeyContext {
  readonly rules: KeyRules;
  readonly view: SchemaView;
  readonly log: RepairLog;
  readonly path: string;
}

/** The members that the object should have had, as far as that is certain. */
export function fitKeys(object: JsonObject, context: KeyContext): readonly Member[] {
  const members: Member[] = [];
  const unknown = unknownKeys(object, context.rules);
  const renames = renamesOf(object, unknown, context);
  for (const [key, value] of Object.entries(object)) {
    const path = pointerTo(context.path, key);
    const name = renames.get(key) ?? key;
    if (name !== key) context.log.add(renameRule(key, name), path, { before: key, after: name });
    else if (unknown.has(key) && dropsUnknown({ key, path, value }, context)) continue;
    const member = fitNull({ key: name, path, value }, context);
    if (member !== undefined) members.push(member);
  }
  return members;
}

/** The keys that the schema does not declare; none when there are so many that nobody meant them, and comparing them would take long. */
function unknownKeys(object: JsonObject, rules: KeyRules): ReadonlySet<string> {
  const unknown = Object.keys(object).filter(
    (key) => !Object.hasOwn(rules.declared, key) && !rules.patterns.some((pattern) => pattern.test(key)),
  );
  return new Set(unknown.length > maxUnknownKeys ? [] : unknown);
}

/** For each unknown key the declared one that is meant; none where two keys could mean the same. */
function renamesOf(
  object: JsonObject,
  unknown: ReadonlySet<string>,
  { rules, log }: KeyContext,
): ReadonlyMap<string, string> {
  const targets = new Map<string, string[]>();
  for (const key of unknown) {
    const name = spelledOtherwise(key, rules) ?? (log.permits('key-typo') ? mistyped(key, rules) : undefined);
    if (name === undefined || Object.hasOwn(object, name)) continue;
    // An open object may have keys of its own; only a required key that is missing shows that this one was meant.
    if (rules.closed || rules.required.has(name)) targets.set(name, [...(targets.get(name) ?? []), key]);
  }
  return new Map(
    [...targets].flatMap(([name, keys]) => (keys.length === 1 ? keys.map((key) => [key, name] as const) : [])),
  );
}

function renameRule(key: string, name: string): 'key-spelling' | 'key-typo' {
  return bareName(key) === bareName(name) ? 'key-spelling' : 'key-typo';
}

function spelledOtherwise(key: string, rules: KeyRules): string | undefined {
  const bare = bareName(key);
  const alike = Object.keys(rules.declared).filter((name) => bareName(name) === bare);
  return alike.length === 1 ? alike[0] : undefined;
}

/** The required key from which this one differs by one letter; digits and separators are never a slip, and short names are alike by chance. */
function mistyped(key: string, rules: KeyRules): string | undefined {
  if (key.length < 5) return undefined;
  const near = Object.keys(rules.declared).filter((name) => editDistance(key, name) <= 2);
  const [name] = near;
  if (near.length !== 1 || name === undefined || !rules.required.has(name)) return undefined;
  return editDistance(key, name) === 1 && key.replace(/[a-z]/gi, '') === name.replace(/[a-z]/gi, '') ? name : undefined;
}

/** Drops a key that a closed object does not know, unless it is nearly one that it knows: then only the model can say what it meant. */
function dropsUnknown(member: Member, { rules, log }: KeyContext): boolean {
  if (!rules.closed) return false;
  const rule = member.value === null ? 'unknown-null-key' : 'unknown-key';
  if (!log.permits(rule)) return false;
  if (member.value !== null && nearMisses(member.key, Object.keys(rules.declared)).length > 0) return false;
  log.add(rule, member.path, { before: member.value });
  return true;
}

/** Null for an optional means that it is not set, where the schema does not admit null itself. */
function fitNull(member: Member, { rules, view, log }: KeyContext): Member | undefined {
  if (member.value !== null || rules.required.has(member.key)) return member;
  const schema = ownMember(rules.declared, member.key);
  const admitted = view.admits(schema);
  if (schema === undefined || admitted.has('null')) return member;
  const resolved = view.resolve(schema);
  const fallback = resolved === undefined ? undefined : ownMember(resolved, 'default');
  const listed = resolved === undefined ? undefined : listedValues(resolved);
  if (
    fallback === undefined ||
    !admitted.has(kindOf(fallback)) ||
    (listed !== undefined && !listed.includes(fallback))
  ) {
    log.add('null-to-absent', member.path, { before: null });
    return undefined;
  }
  log.add('null-to-default', member.path, { before: null, after: fallback });
  return { ...member, value: fallback };
}
