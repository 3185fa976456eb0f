/**
 * How large a schema may be. Checking a value costs a compilation first, about half a millisecond for each property, and nothing else runs meanwhile; and no model
 * reads a tool of that size.
 */
import { AxleError } from '../../error/axle-error.ts';
import type { JsonObject, JsonValue } from '../../util/json.ts';

/** Objects and lists in a schema: a property is one, its list of allowed values another. */
export const maxSchemaParts = 4_000;
/** As canonical JSON. */
const maxSchemaLength = 1_000_000;

/** How many parts a schema has; beyond `most` it is not counted on. */
export function schemaParts(schema: JsonValue, most = Infinity): number {
  let parts = 0;
  const waiting: JsonValue[] = [schema];
  for (let value = waiting.pop(); value !== undefined && parts <= most; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    parts += 1;
    for (const member of Object.values(value)) waiting.push(member);
  }
  return parts;
}

/** @throws AxleError `schema-too-large` */
export function assertSchemaSize(schema: JsonObject, owner: string): void {
  if (schemaParts(schema, maxSchemaParts) > maxSchemaParts) {
    throw tooLarge(owner, `has more than ${maxSchemaParts} parts (properties, lists and schemas in them)`);
  }
  const { length } = JSON.stringify(schema);
  if (length > maxSchemaLength) throw tooLarge(owner, `has ${length} characters, of ${maxSchemaLength} at most`);
}

function tooLarge(owner: string, what: string): AxleError {
  return new AxleError('schema-too-large', `${owner} ${what}.`);
}
