/**
 * The run file: a run as lines of JSON, to be kept, sent, and looked at elsewhere. Nothing of the journal is left out.
 *
 *   {"kind":"run-file","version":1,"format":3,"runId":"run_..."}       `format` is that of the entries
 *   {"kind":"body","hash":"...","value":...}                           a large value, before the first append that refers to it
 *   {"kind":"append","firstSeq":1,"epoch":1,"atMs":...,"entries":[...]} as a store keeps it
 *   {"kind":"declaration","hash":"...","text":"..."}                   of each contract that the run pinned and the store has
 *   {"kind":"end","entries":12,"sha256":"..."}                         over every byte before this line
 *
 * X1 The same journal gives the same bytes, in every store, also after an import.
 * X2 Whatever was changed, cut off or added is noticed when the file is read.
 * X3 A file is made page by page: a long run needs no more memory than a short one.
 */
import { pinsIn } from '../journal/pins-in.ts';
import { createHash, type Hash } from 'node:crypto';
import { unknownRun } from '../journal/checks.ts';
import { encodeEntries } from '../journal/codec.ts';
import { type Append, formatVersion } from '../journal/entry.ts';
import { readAppends } from '../journal/read-appends.ts';
import type { Store } from '../journal/store.ts';

/** Appends of a page: one may hold 32 MiB with its bodies. (X3) */
const pageAppends = 20;

/** The form of run files that is written here. */
export const runFileVersion = 1;

/** What a run file is made of. */
export interface RunFileParts {
  readonly runId: string;
  readonly appends: AsyncIterable<Append> | Iterable<Append>;
  /** The text of a declaration, undefined where it is not there. */
  readonly declaration: (hash: string) => Promise<string | undefined>;
}

/**
 * A run as the lines of a run file, each with its line break.
 * @throws AxleError `run-unknown`
 */
export function runFileLines(store: Store, runId: string): AsyncGenerator<string> {
  const appends = readAppends(store, runId, { limit: pageAppends });
  return linesOfParts({ runId, appends, declaration: (hash) => store.body(hash) });
}

/**
 * The lines for a run that need not be in a store.
 * @throws AxleError `run-unknown` for one without appends
 */
export async function* linesOfParts({ runId, appends, declaration }: RunFileParts): AsyncGenerator<string> {
  const lines = new SummedLines();
  const writtenBodies = new Set<string>();
  const contracts = new Set<string>();
  let entries = 0;
  for await (const append of appends) {
    if (entries === 0) yield lines.add(JSON.stringify(headOf(runId)));
    const { text, bodies } = encodeEntries(append.entries);
    for (const { hash, text: value } of bodies) {
      if (writtenBodies.has(hash)) continue;
      writtenBodies.add(hash);
      yield lines.add(`{"kind":"body","hash":${JSON.stringify(hash)},"value":${value}}`);
    }
    yield lines.add(appendLine(append, text));
    for (const entry of append.entries) for (const { hash } of pinsIn(entry)) contracts.add(hash);
    entries += append.entries.length;
  }
  if (entries === 0) throw unknownRun(runId);
  for (const hash of contracts) {
    const text = await declaration(hash);
    if (text !== undefined) yield lines.add(JSON.stringify({ kind: 'declaration', hash, text }));
  }
  yield lines.end(entries);
}

function headOf(runId: string): unknown {
  return { kind: 'run-file', version: runFileVersion, format: formatVersion, runId };
}

function appendLine({ firstSeq, epoch, atMs }: Append, entries: string): string {
  return `{"kind":"append","firstSeq":${firstSeq},"epoch":${epoch},"atMs":${atMs},"entries":${entries}}`;
}

class SummedLines {
  readonly #hash: Hash = createHash('sha256');

  add(line: string): string {
    this.#hash.update(`${line}\n`);
    return `${line}\n`;
  }

  end(entries: number): string {
    return `${JSON.stringify({ kind: 'end', entries, sha256: this.#hash.digest('hex') })}\n`;
  }
}
