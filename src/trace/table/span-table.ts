/**
 * A trace as a table of numbers, the form in which it goes to whoever draws it: columns, so that 100,000 rows are small to send and quick to scan.
 * Debuggers import this file as it is, so it imports nothing.
 *
 * B1 Rows stand in the order in which the journal first tells of them: an `index` is stable for ever, and a parent stands before its children.
 * B2 A table holds the rows that began or changed after the entry `since`; applied one after another, tables give what the whole table gives.
 * B3 What a cell means never changes. A new word may come into `kinds`, `statuses` or `markerNames`; whoever does not know it shows it as it is.
 */

/** What a row can be. A wait is `wait-` and what it waits for. */
export const spanKinds = [
  'run',
  'step',
  'model',
  'call',
  'attempt',
  'doubt',
  'verify',
  'evidence',
  'stand-in',
  'refusal',
  'breaker',
  'gap',
  'mark',
] as const;

export type SpanKind = (typeof spanKinds)[number] | `wait-${string}`;

/** `refused`: it was never begun, since its arguments or its upstream forbade it; `stopped`: a limit of the run ended it. */
export const spanStatuses = [
  'open',
  'waiting',
  'ok',
  'failed',
  'denied',
  'cancelled',
  'stopped',
  'refused',
  'in-doubt',
  'lost',
] as const;

export type SpanStatus = (typeof spanStatuses)[number];

/** What the word `error` of a filter stands for. */
export const errorStatuses: readonly SpanStatus[] = ['failed', 'refused', 'lost'];

/** What is worth a sign on a row. A marker is the bit of its place: the first is 1, the second 2, the third 4. */
export const markerNames = [
  'retry',
  'timeout',
  'breaker',
  'rate-limited',
  'repaired',
  'cache-hit',
  'fallback',
  'crash-gap',
  'in-doubt',
  'drift',
  'undone',
  'approval',
  'recorded',
] as const;

export type MarkerName = (typeof markerNames)[number];

/** The bit of a marker. */
export function markerBit(name: MarkerName): number {
  return 1 << markerNames.indexOf(name);
}

/** The names of the markers that are set, in the order of their bits. */
export function markersIn(bits: number): readonly MarkerName[] {
  return markerNames.filter((_, place) => (bits & (1 << place)) !== 0);
}

/** Longest reason of a row, in UTF-16 code units; the span itself has all of it. */
export const maxReasonChars = 160;

/** What a table says of its run. */
export interface SpanTableHead {
  readonly runId: string;
  /** The table holds what began or changed after this entry; 0 for all. */
  readonly since: number;
  /** The last entry that the table knows. */
  readonly seq: number;
  readonly epoch: number;
  readonly startMs: number;
  /** The time of the last entry: where open rows end for now. */
  readonly lastMs: number;
  /** Rows of the whole table. */
  readonly rowCount: number;
  /** True when the run has ended, so that nothing more comes. */
  readonly ended: boolean;
}

/** The table on the wire. Every column has one cell for each row of this answer. */
export interface SpanTable extends SpanTableHead {
  readonly version: 1;
  /** The words of this answer, which columns name by their place. */
  readonly kinds: readonly string[];
  readonly statuses: readonly string[];
  readonly names: readonly string[];
  readonly errors: readonly string[];
  /** Foreign texts: one line each, of at most `maxReasonChars`. */
  readonly reasons: readonly string[];
  /** The place of the row in the whole table, from 0; rising. */
  readonly index: readonly number[];
  readonly id: readonly string[];
  /** The index of the parent, -1 for the run. */
  readonly parent: readonly number[];
  readonly kind: readonly number[];
  readonly name: readonly number[];
  readonly status: readonly number[];
  /** The code of its failure as a place in `errors`, -1 for none. */
  readonly error: readonly number[];
  /** What its failure says first as a place in `reasons`, -1 for none. */
  readonly reason: readonly number[];
  /** Milliseconds after `startMs`, as the difference to the row before in this answer. */
  readonly start: readonly number[];
  /** Milliseconds; -1 while it is open, 0 for what happened at one moment. */
  readonly duration: readonly number[];
  readonly step: readonly number[];
  /** Of a call and a model: how many; of an attempt: which. Else 0. */
  readonly attempts: readonly number[];
  readonly inputTokens: readonly number[];
  readonly outputTokens: readonly number[];
  /** Bits, see `markerNames`. */
  readonly markers: readonly number[];
  /** The entry that began it. */
  readonly seq0: readonly number[];
}

/** One row in the open. */
export interface SpanRow {
  readonly index: number;
  readonly id: string;
  readonly parent: number;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  /** The code of its failure. */
  readonly error?: string | undefined;
  /** What its failure says first. */
  readonly reason?: string | undefined;
  /** Milliseconds after the start of the run. */
  readonly start: number;
  readonly duration: number;
  readonly step: number;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly markers: number;
  readonly seq0: number;
}

/** Rows, in the order of their index, as a table. */
export function encodeSpanTable(head: SpanTableHead, rows: readonly SpanRow[]): SpanTable {
  const kinds = new Words();
  const statuses = new Words();
  const names = new Words();
  const errors = new Words();
  const reasons = new Words();
  let before = 0;
  const start = rows.map((row) => {
    const difference = row.start - before;
    before = row.start;
    return difference;
  });
  const columns = {
    index: rows.map((row) => row.index),
    id: rows.map((row) => row.id),
    parent: rows.map((row) => row.parent),
    kind: rows.map((row) => kinds.place(row.kind)),
    name: rows.map((row) => names.place(row.name)),
    status: rows.map((row) => statuses.place(row.status)),
    error: rows.map((row) => (row.error === undefined ? -1 : errors.place(row.error))),
    reason: rows.map((row) => (row.reason === undefined ? -1 : reasons.place(row.reason))),
    start,
    duration: rows.map((row) => row.duration),
    step: rows.map((row) => row.step),
    attempts: rows.map((row) => row.attempts),
    inputTokens: rows.map((row) => row.inputTokens),
    outputTokens: rows.map((row) => row.outputTokens),
    markers: rows.map((row) => row.markers),
    seq0: rows.map((row) => row.seq0),
  };
  return {
    version: 1,
    ...head,
    kinds: kinds.all,
    statuses: statuses.all,
    names: names.all,
    errors: errors.all,
    reasons: reasons.all,
    ...columns,
  };
}

/** A dictionary that grows: each word has a place. */
export class Words {
  readonly all: string[] = [];
  readonly #places = new Map<string, number>();

  place(word: string): number {
    const known = this.#places.get(word);
    if (known !== undefined) return known;
    this.#places.set(word, this.all.length);
    return this.all.push(word) - 1;
  }

  /** The place of a word that may not be there: -1 then. */
  find(word: string): number {
    return this.#places.get(word) ?? -1;
  }
}
