/** Which rows are shown: what is open, what the filter keeps, how it is sorted. */
import { useCallback, useMemo, useState } from 'react';
import type { Found } from './use-matches.ts';
import type { RunTable } from '../table/run-table.ts';
import { ancestorsOf, isOpen, type Openness, parseSort, shownRows, sortedRows } from '../table/shown-rows.ts';

/** Run, steps, calls: what an attempt was is seen in the bar of its call. */
const firstDepth = 2;

export interface Rows {
  readonly shown: Int32Array;
  readonly isFlat: boolean;
  readonly isOpen: (row: number) => boolean;
  /** Where a row is in what is shown, -1 when it is not. */
  readonly placeOf: (row: number) => number;
  readonly setOpen: (row: number, open: boolean) => void;
  /** Opens what a row stands in. */
  readonly uncover: (row: number) => void;
  readonly setDepth: (depth: number) => void;
}

export interface RowsOptions {
  readonly table: RunTable;
  /** What the filter has found; undefined without one. */
  readonly found: Found | undefined;
  readonly sort: string | undefined;
}

export function useRows({ table, found, sort }: RowsOptions): Rows {
  const [openness, setOpenness] = useState<Openness>({ depth: firstDepth, byHand: new Map() });
  const { columns, tree } = table;
  const order = useMemo(() => parseSort(sort), [sort]);
  // What matches is looked for at every depth.
  const counted = useMemo(
    () => (found === undefined ? openness : { ...openness, depth: Number.POSITIVE_INFINITY }),
    [openness, found],
  );
  const shown = useMemo(() => {
    if (order !== undefined) return sortedRows(table, order, found?.rows);
    return shownRows(table, counted, found?.shown);
  }, [table, order, found, counted]);
  const places = useMemo(() => {
    const found = new Int32Array(table.columns.rowCount).fill(-1);
    for (let place = 0; place < shown.length; place += 1) found[shown[place] ?? 0] = place;
    return found;
  }, [shown, table]);
  const uncover = useCallback(
    (row: number): void => {
      setOpenness((before) => {
        const closed = ancestorsOf(row, columns).filter((above) => !isOpen(before, tree, above));
        if (closed.length === 0) return before;
        const opened = closed.map((above) => [above, true] as const);
        return { depth: before.depth, byHand: new Map([...before.byHand, ...opened]) };
      });
    },
    [columns, tree],
  );
  return {
    shown,
    isFlat: order !== undefined,
    isOpen: (row) => isOpen(counted, tree, row),
    placeOf: (row) => places[row] ?? -1,
    setOpen: (row, open) => setOpenness(({ depth, byHand }) => ({ depth, byHand: new Map(byHand).set(row, open) })),
    uncover,
    setDepth: (depth) => setOpenness({ depth, byHand: new Map() }),
  };
}
