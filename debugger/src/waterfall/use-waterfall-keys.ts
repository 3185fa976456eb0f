/** What keys do in the waterfall. The cursor is a row of the table, so it stays where it is when rows come and go around it. */
import type { RefObject } from 'react';
import type { RunSearch } from '../app/search.ts';
import { say } from '../app/spoken.tsx';
import { useActions } from '../keys/actions.ts';
import type { RowWindow } from '../rows/use-row-window.ts';
import type { Change } from '../run/use-change.ts';
import { failureTest } from '../table/failure-test.ts';
import type { RunTable } from '../table/run-table.ts';
import { type Openness, shownRows } from '../table/shown-rows.ts';
import type { Follow } from './use-follow.ts';
import type { Rows } from './use-rows.ts';
import type { Time } from './use-time.ts';

export interface WaterfallKeys {
  readonly table: RunTable;
  readonly rows: Rows;
  readonly window: RowWindow;
  readonly cursor: number;
  readonly isMatch: ((row: number) => boolean) | undefined;
  readonly isPanelOpen: boolean;
  readonly search: RunSearch;
  readonly change: Change;
  readonly moveTo: (row: number) => void;
  readonly time: Time;
  readonly follow: Follow;
  readonly boxRef: RefObject<HTMLElement | null>;
}

export function useWaterfallKeys(keys: WaterfallKeys): void {
  const { table, rows, window, time, cursor, search, change, follow, boxRef } = keys;
  const { columns, tree } = table;
  const place = rows.placeOf(cursor);

  const goToRow = (row: number): void => {
    const at = rows.placeOf(row);
    if (at < 0) rows.uncover(row);
    else window.reveal(at);
    keys.moveTo(row);
    boxRef.current?.focus({ preventScroll: true });
  };
  const goToPlace = (wanted: number): void => {
    const row = rows.shown[Math.max(0, Math.min(rows.shown.length - 1, wanted))];
    if (row !== undefined) goToRow(row);
  };
  /** The next row of those that count, around the end. Their places in the tree are what is walked, shown or not. */
  const walk = (counts: (row: number) => boolean, step: 1 | -1, what: string): void => {
    const order = walkingOrder(rows, table);
    const from = order.indexOf(cursor);
    for (let count = 1; count <= order.length; count += 1) {
      const row = order[(from + step * count + order.length * 2) % order.length];
      if (row !== undefined && counts(row)) {
        goToRow(row);
        return;
      }
    }
    say(`No ${what}`);
  };
  const isFailure = failureTest(table);
  const isHit = keys.isMatch ?? (() => false);

  useActions({
    'row-next': () => goToPlace(place + 1),
    'row-previous': () => goToPlace(place - 1),
    'page-next': () => goToPlace(place + window.page),
    'page-previous': () => goToPlace(place - window.page),
    'row-first': () => goToPlace(0),
    'row-last': () => goToPlace(rows.shown.length - 1),
    open: () => change({ span: columns.ids[cursor] }),
    close: () => {
      const { activeElement } = document;
      if (activeElement instanceof HTMLInputElement || !keys.isPanelOpen) {
        if (activeElement instanceof HTMLElement) activeElement.blur();
        boxRef.current?.focus({ preventScroll: true });
        return;
      }
      change({ span: undefined, pane: undefined });
      boxRef.current?.focus({ preventScroll: true });
    },
    filter: () => document.getElementById('filter')?.focus(),
    collapse: () => {
      const parent = columns.parent[cursor] ?? -1;
      if (tree.hasChildren(cursor) && rows.isOpen(cursor)) rows.setOpen(cursor, false);
      else if (parent >= 0) goToRow(parent);
    },
    expand: () => {
      if (!tree.hasChildren(cursor)) return;
      if (rows.isOpen(cursor)) goToPlace(place + 1);
      else rows.setOpen(cursor, true);
    },
    'collapse-all': () => {
      rows.setDepth(0);
      goToRow(0);
    },
    'expand-all': () => rows.setDepth(Number.POSITIVE_INFINITY),
    depth: (key) => rows.setDepth(Number(key) - 1),
    'hit-next': () => walk(isHit, 1, 'match'),
    'hit-previous': () => walk(isHit, -1, 'match'),
    'error-next': () => walk(isFailure, 1, 'failure'),
    'error-previous': () => walk(isFailure, -1, 'failure'),
    zoom: () => (time.zoom === undefined ? time.fit(cursor) : time.show(undefined)),
    'zoom-in': () => time.zoomBy(0.5, cursor),
    'zoom-out': () => time.zoomBy(2, cursor),
    gaps: () => change({ gaps: search.gaps === 'out' ? undefined : 'out' }),
    clock: () => change({ clock: search.clock === 'day' ? undefined : 'day' }),
    follow: () => (follow.isFollowing ? follow.inspect() : follow.follow()),
  });
}

const everything: Openness = { depth: Number.POSITIVE_INFINITY, byHand: new Map() };

/** All rows from top to bottom, closed ones as if they were open. */
function walkingOrder(rows: Rows, table: RunTable): Int32Array {
  return rows.isFlat ? rows.shown : shownRows(table, everything);
}
