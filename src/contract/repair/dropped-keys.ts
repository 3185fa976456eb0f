/** Keys that a validator has taken away without a word: zod, for one, strips what it does not know. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { pointerTo } from '../pointer.ts';
import { ownMember, SchemaView } from '../schema/schema-view.ts';

export interface DroppedKey {
  readonly path: string;
  readonly key: string;
  readonly value: JsonValue;
  /** The keys that the object may have. */
  readonly known: readonly string[];
}

/** The keys of `before` that its schema does not declare and that are gone in `after`. */
export function droppedKeys(before: JsonValue, after: JsonValue, schema: JsonObject): readonly DroppedKey[] {
  return before === after ? [] : dropped(before, after, { view: new SchemaView(schema), schema, path: '' });
}

interface Place {
  readonly view: SchemaView;
  readonly schema: JsonValue | undefined;
  readonly path: string;
}

function dropped(before: JsonValue, after: JsonValue, place: Place): readonly DroppedKey[] {
  const schema = place.view.resolve(place.schema);
  if (schema === undefined) return [];
  if (isJsonArray(before) && isJsonArray(after)) {
    const { items } = schema;
    return before.flatMap((item, index) =>
      dropped(item, after[index] ?? null, { ...place, schema: items, path: pointerTo(place.path, index) }),
    );
  }
  if (!isJsonObject(before) || !isJsonObject(after)) return [];
  const declared = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const found: DroppedKey[] = [];
  for (const key of Object.keys(before)) {
    const value = before[key] ?? null;
    const property = ownMember(declared, key);
    const kept = ownMember(after, key);
    if (kept === value) continue;
    const path = pointerTo(place.path, key);
    if (property === undefined && kept === undefined) found.push({ path, key, value, known: Object.keys(declared) });
    if (property !== undefined && kept !== undefined) {
      found.push(...dropped(value, kept, { ...place, schema: property, path }));
    }
  }
  return found;
}
