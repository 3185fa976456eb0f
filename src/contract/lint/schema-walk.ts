/** Walks the parameters of a tool as its input schema declares them. */
import { ownMember, schemasOf, SchemaView } from '../schema/schema-view.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';

/** A parameter, at any depth. */
export interface Parameter {
  readonly name: string;
  /** JSON Pointer from the input schema. */
  readonly at: string;
  /** With references followed. */
  readonly schema: JsonObject;
  /** What the declaration says of it, on the reference or behind it. */
  readonly description: string;
  /** 1 for a named argument of the tool. */
  readonly depth: number;
  readonly isRequired: boolean;
}

/** Deeper parameters, and more of them, are not looked at: a schema may be a circle. */
const maxDepth = 12;
const maxParameters = 2_000;

/** All parameters, those of nested objects and of the items of lists included. */
export function parametersOf(input: JsonObject): readonly Parameter[] {
  const view = new SchemaView(input);
  const found: Parameter[] = [];
  const path = new Set<JsonObject>();
  const visit = (value: JsonValue | undefined, at: string, depth: number): void => {
    const schema = view.resolve(value);
    if (schema === undefined || depth > maxDepth || path.has(schema)) return;
    path.add(schema);
    const properties = ownMember(schema, 'properties');
    const required = ownMember(schema, 'required');
    if (isJsonObject(properties)) {
      for (const [name, declared] of Object.entries(properties)) {
        if (found.length >= maxParameters) break;
        const place = `${at}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const resolved = view.resolve(declared);
        if (resolved === undefined) continue;
        found.push({
          name,
          at: place,
          schema: resolved,
          description: textOf(declared, 'description') || textOf(resolved, 'description') || textOf(resolved, 'title'),
          depth: depth + 1,
          isRequired: Array.isArray(required) && required.includes(name),
        });
        visit(resolved, place, depth + 1);
      }
    }
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      schemasOf(schema[keyword]).forEach((branch, index) => visit(branch, `${at}/${keyword}/${index}`, depth));
    }
    visit(ownMember(schema, 'items'), `${at}/items`, depth);
    path.delete(schema);
  };
  visit(input, '', 0);
  return found;
}

/** Every schema inside a schema, with the keyword it stands under; references are not followed. */
export function* schemasInside(
  schema: JsonValue | undefined,
  at = '',
): Generator<{ readonly schema: JsonObject; readonly at: string }> {
  if (isJsonArray(schema)) {
    for (const [index, item] of schema.entries()) yield* schemasInside(item, `${at}/${index}`);
    return;
  }
  if (!isJsonObject(schema)) return;
  yield { schema, at };
  for (const [key, value] of Object.entries(schema)) {
    if (dataKeywords.has(key)) continue;
    yield* schemasInside(value, `${at}/${key}`);
  }
}

/** Keywords whose values are data and no schemas. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'required']);

function textOf(schema: JsonValue | undefined, key: string): string {
  const value = isJsonObject(schema) ? ownMember(schema, key) : undefined;
  return typeof value === 'string' ? value : '';
}
