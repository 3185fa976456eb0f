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

/** The entry with undefined, which JSON text leaves out, in the place of values that go without saying. */
export function omitUsual(entry: Fields): Fields {
  const usual = usualOf(entry);
  if (usual === undefined) return entry;
  const kept: Record<string, unknown> = { ...entry };
  for (const key in usual) if (kept[key] === usual[key]) kept[key] = undefined;
  return kept;
}

/** Puts them back, in place, into an entry that was just parsed. */
export function restoreUsual(entry: Record<string, unknown>): void {
  const usual = usualOf(entry);
  if (usual === undefined) return;
  for (const key in usual) entry[key] ??= usual[key];
}

const usualByType: ReadonlyMap<unknown, Fields> = new Map(Object.entries(usualValues));

function usualOf({ type }: Fields): Fields | undefined {
  return usualByType.get(type);
}
