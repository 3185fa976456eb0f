/** A JSON Schema seen from one value: references followed, and what kinds of value it admits. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { pointerMembers } from '../pointer.ts';

export type JsonKind = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

const allKinds: readonly JsonKind[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
/** References that lead to references: longer chains are circles. */
const maxHops = 16;
/** Alternatives inside alternatives that are looked through. */
const maxNesting = 8;

export function kindOf(value: JsonValue): JsonKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'string' : 'object';
}

/** A schema with its root, for references. */
export class SchemaView {
  readonly root: JsonObject;

  constructor(root: JsonObject) {
    this.root = root;
  }

  /** The schema behind a value that stands for one: references followed. Undefined where there is none that says anything. */
  resolve(schema: JsonValue | undefined): JsonObject | undefined {
    let current = schema;
    for (let hops = 0; hops < maxHops; hops += 1) {
      if (!isJsonObject(current)) return undefined;
      const reference = current['$ref'];
      if (typeof reference !== 'string') return current;
      current = this.#target(reference);
    }
    return undefined;
  }

  #target(reference: string): JsonValue | undefined {
    if (reference === '#') return this.root;
    if (!reference.startsWith('#/')) return undefined;
    let current: JsonValue | undefined = this.root;
    for (const member of pointerMembers(decodeFragment(reference.slice(1)))) {
      if (typeof current !== 'object' || current === null) return undefined;
      current = isJsonObject(current) ? ownMember(current, member) : current[Number(member)];
    }
    return current;
  }

  /** The kinds of value that the schema admits, as far as it says; a kind too many only means that nothing is repaired. */
  admits(schema: JsonValue | undefined, nesting = 0): ReadonlySet<JsonKind> {
    if (schema === false) return new Set();
    const resolved = this.resolve(schema);
    if (resolved === undefined || nesting > maxNesting) return new Set(allKinds);
    let kinds = kindsOfType(resolved['type']);
    const listed = listedValues(resolved);
    if (listed !== undefined) kinds = common(kinds, withNumber(new Set(listed.map(kindOf))));
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = schemasOf(resolved[keyword]);
      if (branches.length > 0) kinds = common(kinds, this.#union(branches, nesting));
    }
    for (const part of schemasOf(resolved['allOf'])) kinds = common(kinds, this.admits(part, nesting + 1));
    return kinds;
  }

  #union(branches: readonly JsonValue[], nesting: number): ReadonlySet<JsonKind> {
    return new Set(branches.flatMap((branch) => [...this.admits(branch, nesting + 1)]));
  }
}

/** The values that `enum` or `const` list. */
export function listedValues(schema: JsonObject): readonly JsonValue[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const'] ?? null];
  const values = schema['enum'];
  return isJsonArray(values) ? values : undefined;
}

/** The subschemas of a keyword that holds a list of them. */
export function schemasOf(keyword: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(keyword) ? keyword : [];
}

/** A member by its own name, never by one that every object inherits. */
export function ownMember(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function kindsOfType(type: JsonValue | undefined): ReadonlySet<JsonKind> {
  if (type === undefined) return new Set(allKinds);
  const names = isJsonArray(type) ? type : [type];
  return withNumber(new Set(allKinds.filter((kind) => names.includes(kind))));
}

function common(some: ReadonlySet<JsonKind>, others: ReadonlySet<JsonKind>): ReadonlySet<JsonKind> {
  return new Set([...some].filter((kind) => others.has(kind)));
}

/** Where every number fits, whole ones do. */
function withNumber(kinds: ReadonlySet<JsonKind>): ReadonlySet<JsonKind> {
  return kinds.has('number') ? new Set([...kinds, 'integer']) : kinds;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
