/** JSON without conversion: what a schema or a tool made of a value must already be JSON, or it is refused with its path. */
import { type JsonValue, maxDepth } from '../../util/json.ts';
import { pointerTo } from '../pointer.ts';

export type PlainJson =
  | { readonly ok: true; readonly value: JsonValue }
  /** Where something stands that JSON cannot hold, and what it is. */
  | { readonly ok: false; readonly path: string; readonly what: string };

/**
 * The value as JSON data, copied. Members that are `undefined` are left out; anything else that JSON cannot hold (a Date, a Map, NaN, a
 * BigInt, a function, a class of one's own) is a fault and not converted, since nobody could turn it back.
 */
export function plainJson(value: unknown): PlainJson {
  return plain(value, 0);
}

function plain(value: unknown, depth: number): PlainJson {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return { ok: true, value };
    case 'number':
      return Number.isFinite(value) ? { ok: true, value } : fault(String(value));
    case 'object':
      if (value === null) return { ok: true, value };
      if (depth >= maxDepth) return fault('data nested too deep');
      if (Array.isArray(value)) return plainArray(value, depth);
      return isPlainRecord(value) ? plainRecord(value, depth) : fault(`a ${value.constructor.name}`);
    case 'undefined':
    case 'function':
    case 'symbol':
    case 'bigint':
      return fault(typeof value);
  }
}

function plainArray(value: readonly unknown[], depth: number): PlainJson {
  const items: JsonValue[] = [];
  for (const [index, item] of value.entries()) {
    const result = plain(item, depth + 1);
    if (!result.ok) return { ...result, path: pointerTo('', index) + result.path };
    items.push(result.value);
  }
  return { ok: true, value: items };
}

function plainRecord(value: Readonly<Record<string, unknown>>, depth: number): PlainJson {
  const members: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    // As an own key it would set the prototype on assignment.
    const result = key === '__proto__' ? fault('a key that would change the prototype') : plain(member, depth + 1);
    if (!result.ok) return { ...result, path: pointerTo('', key) + result.path };
    members[key] = result.value;
  }
  return { ok: true, value: members };
}

function isPlainRecord(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function fault(what: string): PlainJson {
  return { ok: false, path: '', what };
}
