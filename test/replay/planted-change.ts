/** Every text, number and flag of an entry, with one character changed. */
import type { Append, Entry } from '../../src/axle.ts';
import { isRecord } from '../../src/util/json.ts';

export interface PlantedChange {
  readonly seq: number;
  readonly type: Entry['type'];
  /** The keys that lead to the place; numbers of lists are written as `*`. */
  readonly place: string;
  readonly appends: readonly Append[];
}

/** All changes of one character that can be made in what the entries hold; their types are left. `pick` chooses the character. */
export function* plantedChanges(appends: readonly Append[], pick: (length: number) => number): Iterable<PlantedChange> {
  for (const [at, append] of appends.entries()) {
    for (const [index, entry] of append.entries.entries()) {
      for (const { path, value } of leavesOf(entry, [])) {
        if (path.join('/') === 'type') continue;
        const changed = replaced(entry, path, otherThan(value, pick)) as Entry;
        const entries = append.entries.with(index, changed);
        yield {
          seq: append.firstSeq + index,
          type: entry.type,
          place: path.map((key) => (typeof key === 'number' ? '*' : key)).join('/'),
          appends: appends.with(at, { ...append, entries }),
        };
      }
    }
  }
}

type Leaf = string | number | boolean;
type Path = readonly (string | number)[];

function* leavesOf(value: unknown, path: Path): Iterable<{ readonly path: Path; readonly value: Leaf }> {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* leavesOf(item, [...path, index]);
  else if (isRecord(value)) for (const [key, item] of Object.entries(value)) yield* leavesOf(item, [...path, key]);
  else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') yield { path, value };
}

function otherThan(value: Leaf, pick: (length: number) => number): Leaf {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  const at = pick(value.length);
  const other = value[at] === 'x' ? 'y' : 'x';
  return value === '' ? 'x' : value.slice(0, at) + other + value.slice(at + 1);
}

function replaced(value: unknown, [key, ...rest]: Path, leaf: Leaf): unknown {
  if (key === undefined) return leaf;
  if (Array.isArray(value)) return value.with(Number(key), replaced(value[Number(key)], rest, leaf));
  return isRecord(value) ? { ...value, [key]: replaced(value[key], rest, leaf) } : value;
}
