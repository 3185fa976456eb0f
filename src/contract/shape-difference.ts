/** How a value differs from a schema in its form: keys that are missing, keys that are new, kinds that have changed. Values (patterns, ranges) are not looked at. */
import type { ChangedKind, ShapeDifference } from '../call/drift.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import { pointerTo } from './pointer.ts';
import { kindOf, SchemaView } from './schema/schema-view.ts';

/** Differences of one sort that are named; the first ones say what happened. */
const maxNamed = 20;
const maxDepth = 16;
/** Items of a list that are looked at: drift is seen in the first ones, or it is noise. */
const maxItems = 50;

export function shapeDifference(schema: JsonObject, value: JsonValue): ShapeDifference {
  const walk = new Walk(new SchemaView(schema));
  walk.compare(schema, value, { path: '', depth: 0 });
  return walk.difference();
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

class Walk {
  readonly #view: SchemaView;
  readonly #missing = new Set<string>();
  readonly #unexpected = new Set<string>();
  readonly #changed = new Map<string, ChangedKind>();

  constructor(view: SchemaView) {
    this.#view = view;
  }

  difference(): ShapeDifference {
    return {
      missing: [...this.#missing].slice(0, maxNamed),
      unexpected: [...this.#unexpected].slice(0, maxNamed),
      changed: [...this.#changed.values()].slice(0, maxNamed),
    };
  }

  compare(schema: JsonValue | undefined, value: JsonValue, place: Place): void {
    const resolved = this.#view.resolve(schema);
    if (resolved === undefined || place.depth > maxDepth) return;
    const declared = this.#view.admits(resolved);
    const came = kindOf(value);
    if (!declared.has(came)) {
      // A whole number is admitted wherever a number is, and saying both says nothing.
      const kinds = [...declared].filter((kind) => kind !== 'integer' || !declared.has('number'));
      this.#changed.set(`${place.path} ${came}`, { path: place.path, declared: kinds.join(' or '), came });
      return;
    }
    if (isJsonArray(value)) {
      for (const item of value.slice(0, maxItems)) this.compare(resolved['items'], item, inside(place, '*'));
    } else if (isJsonObject(value)) {
      this.#compareKeys(resolved, value, place);
    }
  }

  #compareKeys(schema: JsonObject, value: JsonObject, place: Place): void {
    const { properties, required, additionalProperties } = schema;
    for (const name of isJsonArray(required) ? required : []) {
      if (typeof name === 'string' && !Object.hasOwn(value, name)) this.#missing.add(pointerTo(place.path, name));
    }
    if (!isJsonObject(properties)) return;
    for (const [name, item] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) this.compare(properties[name], item, inside(place, name));
      else if (!isJsonObject(additionalProperties)) this.#unexpected.add(pointerTo(place.path, name));
    }
  }
}

function inside({ path, depth }: Place, member: string): Place {
  return { path: pointerTo(path, member), depth: depth + 1 };
}
