/** References inside of a document. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';

/** A chain of references longer than this goes in a circle. */
const maxChain = 50;

/** What a pointer such as `#/components/schemas/Pet` leads to; undefined for what leads nowhere or out of the document. */
export function lookUp(document: JsonObject, reference: string): JsonValue | undefined {
  if (!reference.startsWith('#')) return undefined;
  let value: JsonValue | undefined = document;
  for (const part of partsOf(reference)) {
    if (isJsonArray(value)) value = Object.hasOwn(value, part) ? value[Number(part)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** The object itself, or the one that its references lead to in the end; undefined when they lead to none. */
export function resolveObject(document: JsonObject, value: JsonValue | undefined): JsonObject | undefined {
  let found = value;
  for (let count = 0; count < maxChain; count += 1) {
    if (!isJsonObject(found)) return undefined;
    const reference = found['$ref'];
    if (typeof reference !== 'string') return found;
    found = lookUp(document, reference);
  }
  return undefined;
}

/** The last part of a pointer, for a name. */
export function lastPart(reference: string): string {
  return partsOf(reference).at(-1) ?? '';
}

function partsOf(reference: string): readonly string[] {
  if (reference === '#') return [];
  return reference
    .slice(2)
    .split('/')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
