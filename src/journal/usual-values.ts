/** Values that nearly every entry of a type has: not written, and put back when an entry is read. */
import type { Entry, EntryType } from './entry.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Primitive values only. Changing one changes what is stored: it takes a new format version. */
const usualValues = {
  'model-started': { attempt: 1 },
  'model-finished': { finishReason: 'tool-calls' },
  'attempt-started': { attempt: 1 },
  'attempt-finished': { attempt: 1 },
} as const satisfies { readonly [Type in EntryType]?: Partial<Extract<Entry, { type: Type }>> };

/** The entry without the values that go without saying. */
export function omitUsual(entry: Fields): Fields {
  const usual = usualOf(entry);
  if (usual === undefined) return entry;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(entry)) if (!(key in usual) || usual[key] !== entry[key]) kept[key] = entry[key];
  return kept;
}

/** Puts them back, in place, into an entry that was just parsed. */
export function restoreUsual(entry: Record<string, unknown>): void {
  const usual = usualOf(entry);
  if (usual === undefined) return;
  for (const key in usual) entry[key] ??= usual[key];
}

function usualOf({ type }: Fields): Fields | undefined {
  const table: Readonly<Record<string, Fields>> = usualValues;
  return typeof type === 'string' && Object.hasOwn(table, type) ? table[type] : undefined;
}
