/**
 * The whole table, kept by whoever follows a run: tables are applied to it one after another, and it is scanned column by column.
 * Debuggers import this file as it is.
 */
import { type SpanRow, type SpanTable, Words } from './span-table.ts';

/** What came of a table: the rows that it brought, or why it does not fit and the whole has to be asked for. */
export type Applied =
  | { readonly kind: 'applied'; readonly changed: readonly number[] }
  /** `version`: made by a newer release; `run`: of another run; `gap`: something between is missing, or a row is not where it can be. */
  | { readonly kind: 'unfit'; readonly reason: 'version' | 'run' | 'gap' };

/** Columns with one cell for each row of the whole table, and room for more: use `rowCount`, never their length. */
export class SpanColumns {
  runId = '';
  seq = 0;
  epoch = 0;
  startMs = 0;
  lastMs = 0;
  ended = false;
  rowCount = 0;
  readonly kinds = new Words();
  readonly statuses = new Words();
  readonly names = new Words();
  readonly errors = new Words();
  readonly reasons = new Words();
  readonly ids: string[] = [];
  parent = new Int32Array(firstRoom);
  kind = new Uint16Array(firstRoom);
  name = new Uint32Array(firstRoom);
  status = new Uint8Array(firstRoom);
  error = new Int32Array(firstRoom);
  reason = new Int32Array(firstRoom);
  /** Milliseconds after `startMs`. */
  start = new Float64Array(firstRoom);
  duration = new Float64Array(firstRoom);
  step = new Uint32Array(firstRoom);
  attempts = new Uint32Array(firstRoom);
  inputTokens = new Float64Array(firstRoom);
  outputTokens = new Float64Array(firstRoom);
  markers = new Uint32Array(firstRoom);
  seq0 = new Float64Array(firstRoom);
  readonly #indexById = new Map<string, number>();

  /** Takes in an answer. What does not fit changes nothing. */
  apply(table: SpanTable): Applied {
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- a table comes over the wire, from another release perhaps.
    if (table.version !== 1) return { kind: 'unfit', reason: 'version' };
    if (this.rowCount > 0 && table.runId !== this.runId) return { kind: 'unfit', reason: 'run' };
    if (table.since > this.seq || !this.#fits(table)) return { kind: 'unfit', reason: 'gap' };
    // An older answer that comes late brings nothing that is not known.
    if (table.seq < this.seq) return { kind: 'applied', changed: [] };
    this.#makeRoom(table.rowCount);
    this.runId = table.runId;
    this.seq = table.seq;
    this.epoch = table.epoch;
    this.startMs = table.startMs;
    this.lastMs = table.lastMs;
    this.ended = table.ended;
    const kinds = table.kinds.map((word) => this.kinds.place(word));
    const statuses = table.statuses.map((word) => this.statuses.place(word));
    const names = table.names.map((word) => this.names.place(word));
    const errors = table.errors.map((word) => this.errors.place(word));
    const reasons = table.reasons.map((words) => this.reasons.place(words));
    let start = 0;
    table.index.forEach((index, cell) => {
      const id = table.id[cell] ?? '';
      start += table.start[cell] ?? 0;
      this.ids[index] = id;
      this.#indexById.set(id, index);
      this.parent[index] = table.parent[cell] ?? -1;
      this.kind[index] = kinds[table.kind[cell] ?? 0] ?? 0;
      this.name[index] = names[table.name[cell] ?? 0] ?? 0;
      this.status[index] = statuses[table.status[cell] ?? 0] ?? 0;
      this.error[index] = errors[table.error[cell] ?? -1] ?? -1;
      this.reason[index] = reasons[table.reason[cell] ?? -1] ?? -1;
      this.start[index] = start;
      this.duration[index] = table.duration[cell] ?? 0;
      this.step[index] = table.step[cell] ?? 0;
      this.attempts[index] = table.attempts[cell] ?? 0;
      this.inputTokens[index] = table.inputTokens[cell] ?? 0;
      this.outputTokens[index] = table.outputTokens[cell] ?? 0;
      this.markers[index] = table.markers[cell] ?? 0;
      this.seq0[index] = table.seq0[cell] ?? 0;
    });
    this.rowCount = table.rowCount;
    return { kind: 'applied', changed: table.index };
  }

  /** The row with this id; -1 when there is none. */
  indexOf(id: string): number {
    return this.#indexById.get(id) ?? -1;
  }

  /** One row in the open. Undefined where there is none. */
  row(index: number): SpanRow | undefined {
    const id = this.ids[index];
    if (id === undefined || index >= this.rowCount) return undefined;
    const error = this.errors.all[this.error[index] ?? -1];
    const reason = this.reasons.all[this.reason[index] ?? -1];
    return {
      index,
      id,
      parent: this.parent[index] ?? -1,
      kind: this.kinds.all[this.kind[index] ?? 0] ?? '',
      name: this.names.all[this.name[index] ?? 0] ?? '',
      status: this.statuses.all[this.status[index] ?? 0] ?? '',
      ...(error === undefined ? {} : { error }),
      ...(reason === undefined ? {} : { reason }),
      start: this.start[index] ?? 0,
      duration: this.duration[index] ?? 0,
      step: this.step[index] ?? 0,
      attempts: this.attempts[index] ?? 0,
      inputTokens: this.inputTokens[index] ?? 0,
      outputTokens: this.outputTokens[index] ?? 0,
      markers: this.markers[index] ?? 0,
      seq0: this.seq0[index] ?? 0,
    };
  }

  /** Every row that the table must bring is in it, under a parent that stands before it (B1). */
  #fits(table: SpanTable): boolean {
    let next = this.rowCount;
    for (const [cell, index] of table.index.entries()) {
      if (index > next || index >= table.rowCount || (table.parent[cell] ?? index) >= index) return false;
      if (index === next) next += 1;
    }
    return next >= table.rowCount || table.seq < this.seq;
  }

  #makeRoom(rowCount: number): void {
    if (rowCount <= this.parent.length) return;
    const room = Math.max(rowCount, this.parent.length * 2);
    this.parent = grown(this.parent, new Int32Array(room));
    this.kind = grown(this.kind, new Uint16Array(room));
    this.name = grown(this.name, new Uint32Array(room));
    this.status = grown(this.status, new Uint8Array(room));
    this.error = grown(this.error, new Int32Array(room));
    this.reason = grown(this.reason, new Int32Array(room));
    this.start = grown(this.start, new Float64Array(room));
    this.duration = grown(this.duration, new Float64Array(room));
    this.step = grown(this.step, new Uint32Array(room));
    this.attempts = grown(this.attempts, new Uint32Array(room));
    this.inputTokens = grown(this.inputTokens, new Float64Array(room));
    this.outputTokens = grown(this.outputTokens, new Float64Array(room));
    this.markers = grown(this.markers, new Uint32Array(room));
    this.seq0 = grown(this.seq0, new Float64Array(room));
  }
}

const firstRoom = 256;

function grown<A extends { set(from: A): void }>(from: A, into: A): A {
  into.set(from);
  return into;
}
