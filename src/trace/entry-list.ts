/** Every entry of a journal with its fields, as text: what `axle show RUN --entries` prints. */
import type { Append, Entry } from '../journal/entry.ts';
import { cutText } from '../util/cut-text.ts';
import { offsetText } from './duration-text.ts';
import { oneLine } from './safe-text.ts';

/** Longest text of one field; the JSON of a run has all of it. */
const maxFieldChars = 2_000;

/** A line for each entry (`epoch.seq`, its time since the start, its type) and below it one for each of its fields. Safe to print. */
export function entryLines(appends: readonly Append[]): readonly string[] {
  const startMs = appends[0]?.atMs ?? 0;
  return appends.flatMap((append) =>
    append.entries.flatMap((entry, index) => [
      `${`${append.epoch}.${append.firstSeq + index}`.padEnd(8)} ${offsetText(append.atMs - startMs).padStart(14)}  ${entry.type}`,
      ...fieldLines(entry),
    ]),
  );
}

function fieldLines(entry: Entry): readonly string[] {
  return Object.entries(entry)
    .filter(([name]) => name !== 'type')
    .map(
      ([name, value]) =>
        `${' '.repeat(25)}${name}: ${oneLine(cutText(typeof value === 'string' ? value : JSON.stringify(value), maxFieldChars))}`,
    );
}
