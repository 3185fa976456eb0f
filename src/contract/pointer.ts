/** JSON Pointers (RFC 6901), the paths in repairs and messages. */
import { isJsonArray, isJsonObject, type JsonValue } from '../util/json.ts';

/** The pointer to a member of the place that `parent` points to. */
export function pointerTo(parent: string, member: string | number): string {
  return `${parent}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The members that a pointer names, from the top. */
export function pointerMembers(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((member) => member.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a place; undefined when there is none. */
export function valueAt(value: JsonValue, at: string): JsonValue | undefined {
  return valueUnder(value, pointerMembers(at));
}

/** The same, by the members that lead there. */
export function valueUnder(value: JsonValue, members: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const member of members) {
    if (isJsonArray(found)) found = /^\d+$/u.test(member) ? found[Number(member)] : undefined;
    else found = isJsonObject(found) && Object.hasOwn(found, member) ? found[member] : undefined;
  }
  return found;
}
