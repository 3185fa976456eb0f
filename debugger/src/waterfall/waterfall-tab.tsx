/** The waterfall of a run: filter, strip, rows and the panel of what is selected, put together. */
import './waterfall.css';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { readSetting, writeSetting } from '../app/settings.ts';
import { Notice } from '../app/states.tsx';
import { Splitter } from '../rows/splitter.tsx';
import { useRowWindow, useSizePx } from '../rows/use-row-window.ts';
import { useStable } from '../rows/use-stable.ts';
import { useChange } from '../run/use-change.ts';
import { useRunView } from '../run/use-run-feed.ts';
import { SpanPanel } from '../span/span-panel.tsx';
import type { SortColumn } from '../table/shown-rows.ts';
import { Grid } from './grid.tsx';
import { Minimap } from './minimap.tsx';
import { Toolbar } from './toolbar.tsx';
import { useFollow } from './use-follow.ts';
import { useMatches } from './use-matches.ts';
import { type Rows, useRows } from './use-rows.ts';
import { useTime } from './use-time.ts';
import { useWaterfallKeys } from './use-waterfall-keys.ts';

export function WaterfallTab(): React.ReactNode {
  const { table, runId } = useRunView();
  const { columns } = table;
  const search = useSearch({ from: '/runs/$runId' });
  const change = useChange();
  const boxRef = useRef<HTMLDivElement>(null);

  const matches = useMatches(table, search.filter);
  const rows = useRows({ table, found: matches.found, sort: search.sort });
  const selected = search.span === undefined ? -1 : columns.indexOf(search.span);
  const [cursor, setCursor] = useState(Math.max(0, selected));
  const rowPx = useSizePx('--row');
  const coveredPx = useSizePx('--head-row');
  const window = useRowWindow({ count: rows.shown.length, rowPx, boxRef, coveredPx });
  const follow = useFollow({
    boxRef,
    isLive: !columns.ended,
    starts: search.span === undefined && search.zoom === undefined && search.filter === undefined,
    rowCount: rows.shown.length,
  });
  const time = useTime(table, { search, change, onMove: follow.inspect });

  const select = (row: number): void => change({ span: columns.ids[row] });
  const choose = useStable((row: number): void => {
    setCursor(row);
    follow.inspect();
    select(row);
  });
  const toggle = useStable((row: number): void => rows.setOpen(row, !rows.isOpen(row)));
  const fit = useStable(time.fit);
  const wheel = useStable(time.wheel);

  useShownFromLink({ span: selected, rows, reveal: window.reveal });
  useWaterfallKeys({
    table,
    rows,
    window,
    cursor,
    isMatch: matches.found?.isMatch,
    isPanelOpen: selected >= 0,
    search,
    change,
    moveTo: (row) => {
      setCursor(row);
      follow.inspect();
      if (selected >= 0) select(row);
    },
    time,
    follow,
    boxRef,
  });

  if (columns.rowCount === 0) return <Notice title="Nothing has happened yet" />;
  return (
    <div className="waterfall" data-seq={columns.seq}>
      <Toolbar search={search} change={change} matches={matches} time={time} table={table} follow={follow} />
      <div className="wf-parts">
        <div className="wf-main">
          <Minimap table={table} whole={time.whole} shown={time.zoom} onShow={time.show} />
          <Grid
            boxRef={boxRef}
            table={table}
            rows={rows}
            window={window}
            rowPx={rowPx}
            scale={time.scale}
            cursor={cursor}
            selected={selected}
            isMatch={matches.found?.isMatch}
            sort={search.sort}
            showsDay={search.clock === 'day'}
            onSort={(column) => change({ sort: nextSort(search.sort, column) })}
            onToggle={toggle}
            onChoose={choose}
            onFit={fit}
            onWheel={wheel}
          />
          {rows.shown.length === 0 ? (
            <p className="wf-none" role="status">
              No span matches.
            </p>
          ) : undefined}
        </div>
        {selected < 0 ? undefined : (
          <SidePanel>
            <SpanPanel
              runId={runId}
              table={table}
              row={selected}
              pane={search.pane}
              onPane={(pane) => change({ pane })}
              onChoose={choose}
              onClose={() => change({ span: undefined, pane: undefined })}
            />
          </SidePanel>
        )}
      </div>
    </div>
  );
}

const leastPanelPx = 320;
const mostPanelPx = 900;

/** Beside the rows, as wide as a person has made it, with a scroll of its own. */
function SidePanel({ children }: { readonly children: React.ReactNode }): React.ReactNode {
  const [widthPx, setWidthPx] = useState(() => Number(readSetting('panelPx')));
  return (
    <>
      <Splitter
        label="Width of the panel"
        valuePx={widthPx}
        leastPx={leastPanelPx}
        mostPx={mostPanelPx}
        grows="after"
        onChange={(px) => {
          setWidthPx(px);
          writeSetting('panelPx', String(px));
        }}
      />
      <div className="wf-panel" style={{ width: widthPx }}>
        {children}
      </div>
    </>
  );
}

interface ShownFromLink {
  readonly span: number;
  readonly rows: Rows;
  readonly reveal: (place: number, where?: 'nearest' | 'middle') => void;
}

/** What a link selects is opened and brought into view once it is there. */
function useShownFromLink({ span, rows, reveal }: ShownFromLink): void {
  const shown = useRef(-1);
  useEffect(() => {
    if (span < 0 || shown.current === span) return;
    const place = rows.placeOf(span);
    if (place < 0) {
      if (!rows.isFlat) rows.uncover(span);
      return;
    }
    reveal(place, shown.current < 0 ? 'middle' : 'nearest');
    shown.current = span;
  }, [span, rows, reveal]);
}

/** Falling, rising, then the tree again. */
function nextSort(sort: string | undefined, column: SortColumn): string | undefined {
  if (sort === `-${column}`) return column;
  return sort === column ? undefined : `-${column}`;
}
