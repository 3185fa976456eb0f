/**
 * The table of a run, append by append: an append costs what it changes, and an answer what has changed since.
 *
 *   run
 *   ├─ step 1
 *   │  ├─ model ── attempt, wait-retry, attempt
 *   │  └─ call  ── wait-approval, attempt, doubt ── wait-verify, verify
 *   ├─ gap, mark, wait-message, wait-code
 *   └─ step 2 …
 *
 * What stands directly below the run is what belongs to no step.
 */
import { stepOfCall } from '../../call/call-id.ts';
import { type Append, lastSeqOf } from '../../journal/entry.ts';
import { TraceBuilder } from '../trace-of.ts';
import type { RunPart, TraceHead } from '../trace.ts';
import type { TakenBack } from '../undone.ts';
import { ChangeOrder, type Changing } from './change-order.ts';
import { type RowDraft, rowsOfPart } from './part-rows.ts';
import { encodeSpanTable, markerBit, type SpanRow, type SpanStatus, type SpanTable } from './span-table.ts';

export interface TableQuery {
  /** Only rows that began or changed after this entry. @defaultValue 0, all */
  readonly since?: number;
  /** Only these rows, by their place: what a filter has found. */
  readonly only?: ReadonlySet<number>;
  /** What other runs took back of this one: those calls are in every answer, and marked. */
  readonly takenBack?: readonly TakenBack[];
}

const runId = 'run';

/** A step: where it stands, and the places of its parts. */
interface Step {
  readonly id: string;
  readonly number: number;
  readonly parts: number[];
}

interface KeptRow extends Changing<KeptRow> {
  readonly index: number;
  readonly parent: number;
  draft: RowDraft;
}

export class SpanTableBuilder {
  readonly #trace = new TraceBuilder();
  readonly #rows: KeptRow[] = [];
  readonly #indexById = new Map<string, number>();
  readonly #changes = new ChangeOrder<KeptRow>();
  /** The row of each part itself. */
  readonly #ownRows: (RowDraft | undefined)[] = [];
  readonly #steps = new Map<number, Step>();
  /** Steps whose row is older than their parts: it is made anew when somebody asks, and not for every append of a long run. */
  readonly #stale = new Set<Step>();
  /** The step that the run was in when a part began. */
  readonly #stepOfPart: number[] = [];
  #step = 0;
  #model: string | undefined;

  /** Takes in the next append of the run. */
  take(append: Append): void {
    const changed = this.#trace.take(append);
    this.#model ??= this.#trace.head.model;
    const seq = lastSeqOf(append);
    const steps = new Set<Step>();
    const fresh: RowDraft[] = [];
    for (const index of changed.size > 1 ? [...changed].toSorted((left, right) => left - right) : changed) {
      const part = this.#trace.parts[index];
      if (part === undefined) continue;
      const step = this.#placeInStep(part, index);
      if (step !== undefined) {
        if (this.#touch(step.id, seq)) this.#stale.add(step);
        else steps.add(step);
      }
      const rows = rowsOfPart(part, this.#contextOf(step, index));
      this.#ownRows[index] = rows[0];
      for (const row of rows) if (!this.#update(row, seq)) fresh.push(row);
    }
    const begun = this.#touch(runId, seq) ? [] : [this.#runRow()];
    for (const step of steps) begun.push(this.#stepRow(step));
    // Sorting is stable, and nothing begins before what it is in: parents stay before their children (B1).
    const all =
      fresh.length + begun.length > 1
        ? [...begun, ...fresh].toSorted((left, right) => left.seq - right.seq)
        : [...begun, ...fresh];
    for (const row of all) this.#add(row, seq);
  }

  /** What is known of the run itself. */
  get head(): TraceHead {
    return this.#trace.head;
  }

  /** The parts of the trace, for whoever wants to know more of a row than stands in the table. */
  get parts(): readonly RunPart[] {
    return this.#trace.parts;
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  table(query: TableQuery = {}): SpanTable {
    const { since = 0, only, takenBack = [] } = query;
    const { head } = this.#trace;
    this.#refresh();
    const undone = new Set(takenBack.flatMap(({ callIds }) => callIds.map((callId) => `call.${callId}`)));
    const rows: SpanRow[] = [];
    for (const kept of since === 0 ? this.#rows : this.#changedSince(since, undone.keys())) {
      if (only !== undefined && !only.has(kept.index)) continue;
      rows.push(toRow(kept, head.startMs, undone.has(kept.draft.id) ? markerBit('undone') : 0));
    }
    return encodeSpanTable(
      {
        runId: head.runId,
        since,
        seq: head.seq,
        epoch: head.epoch,
        startMs: head.startMs,
        lastMs: head.lastMs,
        rowCount: this.#rows.length,
        ended: head.ending !== undefined,
      },
      rows,
    );
  }

  /** Brings the rows of the run and of steps up to their parts. */
  #refresh(): void {
    for (const step of this.#stale) this.#renew(this.#stepRow(step));
    this.#stale.clear();
    if (this.#rows.length > 0) this.#renew(this.#runRow());
  }

  #renew(draft: RowDraft): void {
    const kept = this.#rowOf(draft.id);
    if (kept !== undefined) kept.draft = draft;
  }

  /**
   * The run and a step count as changed by what has touched them, even when they are as before: between two answers of this process another may have told of a state
   * between (B2). False when there is no such row yet.
   */
  #touch(id: string, seq: number): boolean {
    const kept = this.#rowOf(id);
    if (kept !== undefined) this.#changes.touch(kept, seq);
    return kept !== undefined;
  }

  #rowOf(id: string): KeptRow | undefined {
    return this.#rows[this.#indexById.get(id) ?? -1];
  }

  /** Rows that began or changed after an entry, or have one of these ids, in the order of their index. */
  #changedSince(since: number, ids: Iterable<string>): readonly KeptRow[] {
    const found = new Set(this.#changes.since(since));
    for (const id of ids) {
      const kept = this.#rowOf(id);
      if (kept !== undefined) found.add(kept);
    }
    return [...found].toSorted((left, right) => left.index - right.index);
  }

  /** The step that a part belongs to; undefined for what stands directly below the run. */
  #placeInStep(part: RunPart, index: number): Step | undefined {
    const number = stepOf(part);
    if (number === undefined) {
      this.#stepOfPart[index] ??= this.#step;
      return undefined;
    }
    this.#step = Math.max(this.#step, number);
    this.#stepOfPart[index] = number;
    const step = this.#steps.get(number) ?? { id: `step.${number}`, number, parts: [] };
    this.#steps.set(number, step);
    if (step.parts.at(-1) !== index && !step.parts.includes(index)) step.parts.push(index);
    return step;
  }

  #contextOf(step: Step | undefined, index: number): Parameters<typeof rowsOfPart>[1] {
    return {
      parentId: step?.id ?? runId,
      step: this.#stepOfPart[index] ?? 0,
      model: this.#model ?? 'model',
    };
  }

  #stepRow({ id, number, parts }: Step): RowDraft {
    let startMs = Infinity;
    let endMs = 0;
    let markers = 0;
    let model: RowDraft | undefined;
    const open: RowDraft[] = [];
    for (const index of parts) {
      const row = this.#ownRows[index];
      if (row === undefined) continue;
      startMs = Math.min(startMs, row.startMs);
      markers |= row.markers;
      if (row.kind === 'model') model = row;
      if (row.endMs === undefined) open.push(row);
      else endMs = Math.max(endMs, row.endMs);
    }
    return {
      id,
      parentId: runId,
      kind: 'step',
      name: `step ${number}`,
      status: openStatus(open) ?? (model?.status === 'failed' ? 'failed' : 'ok'),
      error: model?.error,
      reason: undefined,
      startMs,
      endMs: open.length > 0 ? undefined : endMs,
      step: number,
      attempts: 0,
      inputTokens: model?.inputTokens ?? 0,
      outputTokens: model?.outputTokens ?? 0,
      markers,
      seq: this.#ownRows[parts[0] ?? 0]?.seq ?? 1,
    };
  }

  #runRow(): RowDraft {
    const { head } = this.#trace;
    const open = [...this.#trace.openParts].flatMap((index) => this.#ownRows[index] ?? []);
    return {
      id: runId,
      parentId: '',
      kind: 'run',
      name: head.subject,
      status: endedStatus(head) ?? openStatus(open) ?? 'open',
      error: head.ending?.failure?.code,
      reason: undefined,
      startMs: head.startMs,
      endMs: head.ending === undefined ? undefined : head.lastMs,
      step: 0,
      attempts: 0,
      inputTokens: this.#trace.tokens.input,
      outputTokens: this.#trace.tokens.output,
      markers: 0,
      seq: 1,
    };
  }

  /** False when there is no such row yet. */
  #update(draft: RowDraft, seq: number): boolean {
    const kept = this.#rowOf(draft.id);
    if (kept === undefined) return false;
    if (!isSame(kept.draft, draft)) {
      kept.draft = draft;
      this.#changes.touch(kept, seq);
    }
    return true;
  }

  #add(draft: RowDraft, seq: number): void {
    const index = this.#rows.length;
    this.#indexById.set(draft.id, index);
    const parent = this.#indexById.get(draft.parentId) ?? -1;
    const kept: KeptRow = { index, parent, draft, changedSeq: seq, older: undefined, newer: undefined };
    this.#rows.push(kept);
    this.#changes.touch(kept, seq);
  }
}

/** The whole table of a run, or of as much of it as `appends` hold. */
export function spanTableOf(appends: readonly Append[], query: TableQuery = {}): SpanTable {
  const builder = new SpanTableBuilder();
  for (const append of appends) builder.take(append);
  return builder.table(query);
}

/** A call is named by its step and its place in it. */
function stepOf(part: RunPart): number | undefined {
  if (part.kind === 'model') return part.step;
  if (part.kind !== 'call') return undefined;
  const step = stepOfCall(part.callId);
  return Number.isNaN(step) ? undefined : step;
}

/** How something stands of which these parts are open. */
function openStatus(open: readonly RowDraft[]): SpanStatus | undefined {
  if (open.length === 0) return undefined;
  return open.every(({ status }) => status === 'waiting' || status === 'in-doubt') ? 'waiting' : 'open';
}

function endedStatus({ ending }: TraceHead): SpanStatus | undefined {
  return ending?.kind === 'completed' ? 'ok' : ending?.kind;
}

function toRow({ index, parent, draft }: KeptRow, runStartMs: number, moreMarkers: number): SpanRow {
  const { startMs, endMs } = draft;
  return {
    index,
    id: draft.id,
    parent,
    kind: draft.kind,
    name: draft.name,
    status: draft.status,
    error: draft.error,
    reason: draft.reason,
    start: startMs - runStartMs,
    duration: endMs === undefined ? -1 : endMs - startMs,
    step: draft.step,
    attempts: draft.attempts,
    inputTokens: draft.inputTokens,
    outputTokens: draft.outputTokens,
    markers: draft.markers | moreMarkers,
    seq0: draft.seq,
  };
}

function isSame(left: RowDraft, right: RowDraft): boolean {
  return (
    left.status === right.status &&
    left.endMs === right.endMs &&
    left.markers === right.markers &&
    left.attempts === right.attempts &&
    left.inputTokens === right.inputTokens &&
    left.outputTokens === right.outputTokens &&
    left.name === right.name &&
    left.error === right.error &&
    left.reason === right.reason &&
    left.startMs === right.startMs
  );
}
