/** The difference of two JSON values as a JSON Patch (RFC 6902), of the operations `add`, `remove` and `replace` alone. */
import { pointerTo } from '../../contract/pointer.ts';
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../util/json.ts';

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/** What makes `after` out of `before`, applied one after another. Lists are compared at their beginning and their end. */
export function patchBetween(before: JsonValue, after: JsonValue, path = ''): readonly PatchOperation[] {
  if (before === after) return [];
  if (isJsonObject(before) && isJsonObject(after)) return patchOfObjects(before, after, path);
  if (isJsonArray(before) && isJsonArray(after)) return patchOfLists(before, after, path);
  return isSame(before, after) ? [] : [{ op: 'replace', path, value: after }];
}

function patchOfObjects(before: JsonObject, after: JsonObject, path: string): readonly PatchOperation[] {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [
    ...gone.map((key): PatchOperation => ({ op: 'remove', path: pointerTo(path, key) })),
    ...Object.entries(after).flatMap(([key, value]): readonly PatchOperation[] => {
      const at = pointerTo(path, key);
      const old = Object.hasOwn(before, key) ? before[key] : undefined;
      return old === undefined ? [{ op: 'add', path: at, value }] : patchBetween(old, value, at);
    }),
  ];
}

function patchOfLists(before: JsonArray, after: JsonArray, path: string): readonly PatchOperation[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isSame(before[head] ?? null, after[head] ?? null)) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(before.at(-1 - tail) ?? null, after.at(-1 - tail) ?? null)) tail += 1;
  const [old, fresh] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const common = Math.min(old.length, fresh.length);
  const operations: PatchOperation[] = [];
  for (let place = 0; place < common; place += 1) {
    operations.push(...patchBetween(old[place] ?? null, fresh[place] ?? null, `${path}/${head + place}`));
  }
  // From the last to the first, so that each place is still where it was.
  for (let place = old.length - 1; place >= common; place -= 1) {
    operations.push({ op: 'remove', path: `${path}/${head + place}` });
  }
  for (let place = common; place < fresh.length; place += 1) {
    operations.push({ op: 'add', path: `${path}/${head + place}`, value: fresh[place] ?? null });
  }
  return operations;
}

function isSame(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  return canonicalJson(left) === canonicalJson(right);
}
