/**
 * Which rows are shown, and in which order.
 *
 * W1 Every row that is not inside a closed one is shown exactly once, below its parent and in the order of its siblings.
 */
import type { SpanColumns } from '../../../src/trace/table/span-columns.ts';
import type { RowTree } from './row-tree.ts';
import { durationOf, type RunTable } from './run-table.ts';

/** Which rows are open: all down to a depth, but for those that a person opened or closed by hand. */
export interface Openness {
  /** Rows at this depth and deeper are closed. */
  readonly depth: number;
  readonly byHand: ReadonlyMap<number, boolean>;
}

export function isOpen({ depth, byHand }: Openness, tree: RowTree, row: number): boolean {
  return byHand.get(row) ?? (tree.depth[row] ?? 0) < depth;
}

/** The rows that are shown, in the order in which they are (W1). With `kept`, only those that it marks. */
export function shownRows({ tree }: Pick<RunTable, 'tree'>, openness: Openness, kept?: Uint8Array): Int32Array {
  const { firstChild, nextSibling, rowCount } = tree;
  const shown = new Int32Array(rowCount);
  const above: number[] = [];
  let count = 0;
  let row = rowCount === 0 ? -1 : 0;
  while (row >= 0) {
    const isShown = kept === undefined || kept[row] === 1;
    if (isShown) {
      shown[count] = row;
      count += 1;
    }
    const child = isShown && isOpen(openness, tree, row) ? (firstChild[row] ?? -1) : -1;
    if (child >= 0) {
      above.push(row);
      row = child;
      continue;
    }
    let next = nextSibling[row] ?? -1;
    while (next < 0) {
      const parent = above.pop();
      if (parent === undefined) break;
      next = nextSibling[parent] ?? -1;
    }
    row = next;
  }
  return shown.subarray(0, count);
}

/** The parent, its parent, up to the run. */
export function ancestorsOf(row: number, { parent }: Pick<SpanColumns, 'parent'>): readonly number[] {
  const found: number[] = [];
  for (let above = parent[row] ?? -1; above >= 0; above = parent[above] ?? -1) found.push(above);
  return found;
}

const sortableColumns = ['name', 'status', 'attempts', 'duration', 'tokens', 'start'] as const;

export type SortColumn = (typeof sortableColumns)[number];

/** `-duration`: longest first. Undefined for what is no column. */
export function parseSort(
  text: string | undefined,
): { readonly column: SortColumn; readonly isFalling: boolean } | undefined {
  const column = sortableColumns.find((each) => each === text?.replace(/^-/u, ''));
  return column === undefined ? undefined : { column, isFalling: text?.startsWith('-') === true };
}

/** All rows, or those that a filter matched, flat by a column; rows that are equal in it stay in their order. */
export function sortedRows(
  { columns }: Pick<RunTable, 'columns'>,
  { column, isFalling }: { readonly column: SortColumn; readonly isFalling: boolean },
  matches?: ArrayLike<number>,
): Int32Array {
  const rows = Int32Array.from(matches ?? Array.from({ length: columns.rowCount }, (_, row) => row));
  const sign = isFalling ? -1 : 1;
  if (column === 'name' || column === 'status') {
    const words = column === 'name' ? columns.names.all : columns.statuses.all;
    const cells = column === 'name' ? columns.name : columns.status;
    const ranks = ranksOf(words);
    return rows.sort((a, b) => sign * ((ranks[cells[a] ?? 0] ?? 0) - (ranks[cells[b] ?? 0] ?? 0)) || a - b);
  }
  const figure = figureOf(columns, column);
  return rows.sort((a, b) => sign * (figure(a) - figure(b)) || a - b);
}

function ranksOf(words: readonly string[]): readonly number[] {
  const ranks: number[] = [];
  const places = words.map((_, place) => place).sort((a, b) => (words[a] ?? '').localeCompare(words[b] ?? ''));
  for (const [rank, place] of places.entries()) ranks[place] = rank;
  return ranks;
}

function figureOf(columns: SpanColumns, column: Exclude<SortColumn, 'name' | 'status'>): (row: number) => number {
  switch (column) {
    case 'attempts':
      return (row) => columns.attempts[row] ?? 0;
    case 'duration':
      return (row) => durationOf({ columns }, row);
    case 'tokens':
      return (row) => (columns.inputTokens[row] ?? 0) + (columns.outputTokens[row] ?? 0);
    case 'start':
      return (row) => columns.start[row] ?? 0;
  }
}
