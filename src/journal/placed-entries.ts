/** The entries of appends, each with its place in the journal. */
import type { Append, Entry } from './entry.ts';

export interface PlacedEntry {
  /** `epoch.seq`: names it in streams, lists and on the command line. */
  readonly id: string;
  readonly seq: number;
  readonly epoch: number;
  readonly atMs: number;
  readonly entry: Entry;
}

export function placedEntries({ epoch, firstSeq, atMs, entries }: Append): readonly PlacedEntry[] {
  return entries.map((entry, index) => {
    const seq = firstSeq + index;
    return { id: entryId({ epoch, seq }), seq, epoch, atMs, entry };
  });
}

export function entryId({ epoch, seq }: { readonly epoch: number; readonly seq: number }): string {
  return `${epoch}.${seq}`;
}
