/** The rows of the waterfall as one tree grid: one tab stop, a cursor that survives scrolling, and as many rows in the document as fit. */
import { type RefObject, useEffect, useState } from 'react';
import type { RowWindow } from '../rows/use-row-window.ts';
import { Axis, AxisLines } from './axis.tsx';
import { Row } from './row.tsx';
import type { SortColumn } from '../table/shown-rows.ts';
import type { RunTable } from '../table/run-table.ts';
import type { TimeScale } from '../table/time-scale.ts';
import type { Rows } from './use-rows.ts';

export interface GridProps {
  readonly boxRef: RefObject<HTMLDivElement | null>;
  readonly table: RunTable;
  readonly rows: Rows;
  readonly window: RowWindow;
  readonly rowPx: number;
  readonly scale: TimeScale;
  /** The row of the cursor. */
  readonly cursor: number;
  readonly selected: number;
  readonly isMatch: ((row: number) => boolean) | undefined;
  readonly sort: string | undefined;
  readonly showsDay: boolean;
  readonly onSort: (column: SortColumn) => void;
  readonly onToggle: (row: number) => void;
  readonly onChoose: (row: number) => void;
  readonly onFit: (row: number) => void;
  readonly onWheel: (event: WheelEvent, place: number) => void;
}

export function Grid(props: GridProps): React.ReactNode {
  const { boxRef, table, rows, window, rowPx, scale, cursor, selected, isMatch } = props;
  const lanePx = useLaneWidth(boxRef, props.onWheel);
  const { shown } = rows;
  const cursorPlace = rows.placeOf(cursor);
  const isCursorDrawn = cursorPlace >= window.first && cursorPlace < window.end;
  const drawn = Array.from(shown.subarray(window.first, window.end));
  return (
    <div
      className="grid-box wf-grid"
      ref={boxRef}
      role="treegrid"
      aria-label="Spans of the run"
      aria-rowcount={shown.length + 1}
      aria-activedescendant={isCursorDrawn ? `row-${cursor}` : undefined}
      tabIndex={0}
    >
      <div role="rowgroup" className="grid-head">
        <div role="row" className="wf-row" aria-rowindex={1}>
          {headColumns.map(({ column, title, className }) => (
            <HeadCell key={column} {...{ column, title, className }} sort={props.sort} onSort={props.onSort} />
          ))}
          <span role="columnheader" aria-label="Time" className="lane lane-head">
            <Axis scale={scale} widthPx={lanePx} startMs={props.showsDay ? table.columns.startMs : undefined} />
          </span>
        </div>
      </div>
      <div role="rowgroup" className="grid-rows" style={{ height: window.heightPx }}>
        <div className="wf-row lines" role="presentation">
          <span className="lane">
            <AxisLines scale={scale} widthPx={lanePx} />
          </span>
        </div>
        {drawn.map((row, index) => (
          <Row
            key={(window.first + index) % window.pool}
            table={table}
            scale={scale}
            row={row}
            place={window.first + index}
            topPx={window.topPx + index * rowPx}
            isFlat={rows.isFlat}
            isOpen={rows.isOpen(row)}
            isCursor={row === cursor}
            isSelected={row === selected}
            isMatch={isMatch?.(row)}
            onToggle={props.onToggle}
            onChoose={props.onChoose}
            onFit={props.onFit}
          />
        ))}
      </div>
    </div>
  );
}

const headColumns: readonly { readonly column: SortColumn; readonly title: string; readonly className: string }[] = [
  { column: 'name', title: 'Name', className: 'wf-name' },
  { column: 'status', title: 'Status', className: 'wf-status' },
  { column: 'attempts', title: 'Tries', className: 'wf-attempts right' },
  { column: 'duration', title: 'Took', className: 'wf-duration right' },
  { column: 'tokens', title: 'Tokens', className: 'wf-tokens right' },
];

interface HeadCellProps {
  readonly column: SortColumn;
  readonly title: string;
  readonly className: string;
  readonly sort: string | undefined;
  readonly onSort: (column: SortColumn) => void;
}

function HeadCell({ column, title, className, sort, onSort }: HeadCellProps): React.ReactNode {
  const isSorted = sort?.replace(/^-/u, '') === column;
  const isFalling = sort?.startsWith('-') === true;
  return (
    <span
      role="columnheader"
      aria-sort={isSorted ? (isFalling ? 'descending' : 'ascending') : 'none'}
      className={className}
    >
      <button
        type="button"
        tabIndex={-1}
        className="sort"
        onClick={() => onSort(column)}
        title={`Sort by ${title.toLowerCase()}`}
      >
        {title}
        {isSorted ? <span aria-hidden="true">{isFalling ? ' ↓' : ' ↑'}</span> : undefined}
      </button>
    </span>
  );
}

/** How wide the bars' column is; wheels over it go to whoever zooms, who may keep the page from scrolling. */
function useLaneWidth(
  boxRef: RefObject<HTMLElement | null>,
  onWheel: (event: WheelEvent, place: number) => void,
): number {
  const [widthPx, setWidthPx] = useState(600);
  useEffect(() => {
    const lane = boxRef.current?.querySelector('.lane-head');
    if (lane === null || lane === undefined) return undefined;
    const observer = new ResizeObserver(() => setWidthPx(lane.clientWidth));
    observer.observe(lane);
    return () => observer.disconnect();
  }, [boxRef]);
  useEffect(() => {
    const box = boxRef.current;
    const lane = box?.querySelector('.lane-head');
    if (box === null || lane === null || lane === undefined) return undefined;
    const hear = (event: WheelEvent): void => {
      const { left, width } = lane.getBoundingClientRect();
      const place = (event.clientX - left) / width;
      if (place >= 0 && place <= 1) onWheel(event, place);
    };
    box.addEventListener('wheel', hear, { passive: false });
    return () => box.removeEventListener('wheel', hear);
  }, [boxRef, onWheel]);
  return widthPx;
}
