/** The spans of a run as they are now. The columns grow in place; whoever depends on what is in them depends on the table around them, which is a new one after every change. */
import type { SpanColumns } from '../../../src/trace/table/span-columns.ts';
import type { RowTree } from './row-tree.ts';

export interface RunTable {
  readonly columns: SpanColumns;
  readonly tree: RowTree;
}

export function kindOf({ columns }: RunTable, row: number): string {
  return columns.kinds.all[columns.kind[row] ?? 0] ?? '';
}

export function statusOf({ columns }: RunTable, row: number): string {
  return columns.statuses.all[columns.status[row] ?? 0] ?? '';
}

export function nameOf({ columns }: RunTable, row: number): string {
  return columns.names.all[columns.name[row] ?? 0] ?? '';
}

/** The code of its failure. */
export function errorOf({ columns }: RunTable, row: number): string | undefined {
  return columns.errors.all[columns.error[row] ?? -1];
}

/** What its failure says first: a foreign text. */
export function reasonOf({ columns }: RunTable, row: number): string | undefined {
  return columns.reasons.all[columns.reason[row] ?? -1];
}

/** Milliseconds after the start of the run. */
export function startOf({ columns }: RunTable, row: number): number {
  return columns.start[row] ?? 0;
}

/** How long a row took, or takes so far: an open one goes to the time of the last entry. */
export function durationOf({ columns }: { readonly columns: SpanColumns }, row: number): number {
  const duration = columns.duration[row] ?? 0;
  return duration >= 0 ? duration : Math.max(0, columns.lastMs - columns.startMs - (columns.start[row] ?? 0));
}
