/** One span as a row: its place in the tree, its figures, its bar. */
import { memo } from 'react';
import { markersIn } from '../../../src/trace/table/span-table.ts';
import { countText } from '../words/count-text.ts';
import { Elapsed } from '../words/elapsed.tsx';
import { Foreign, lineOf } from '../words/foreign.tsx';
import { lookOf, StatusMark } from '../words/status.tsx';
import { durationText } from '../words/time-text.ts';
import { Bar } from './bar.tsx';
import { Reason } from './reason.tsx';
import { KindBadge } from '../table/kinds.tsx';
import { durationOf, errorOf, kindOf, nameOf, type RunTable, startOf, statusOf } from '../table/run-table.ts';
import type { TimeScale } from '../table/time-scale.ts';

export interface RowProps {
  readonly table: RunTable;
  readonly scale: TimeScale;
  readonly row: number;
  /** Its place in the list that is shown. */
  readonly place: number;
  readonly topPx: number;
  readonly isFlat: boolean;
  readonly isOpen: boolean;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  /** What the filter says of it; undefined without a filter. */
  readonly isMatch: boolean | undefined;
  readonly onToggle: (row: number) => void;
  readonly onChoose: (row: number) => void;
  readonly onFit: (row: number) => void;
}

export const Row = memo(function Row(props: RowProps): React.ReactNode {
  const { table, scale, row, place, topPx, isFlat, isCursor, isSelected, isMatch } = props;
  const { columns, tree } = table;
  const kind = kindOf(table, row);
  const status = statusOf(table, row);
  const depth = isFlat ? 0 : (tree.depth[row] ?? 0);
  const hasChildren = !isFlat && tree.hasChildren(row);
  const attempts = columns.attempts[row] ?? 0;
  const tokens = (columns.inputTokens[row] ?? 0) + (columns.outputTokens[row] ?? 0);
  const isMoment = columns.duration[row] === 0 && !hasChildren;
  const tone = lookOf(status).tone;
  const looks = [
    'wf-row grid-row',
    `row-${tone}`,
    isCursor ? 'cursor' : '',
    isSelected ? 'selected' : '',
    isMatch === undefined ? '' : isMatch ? 'match' : 'around',
  ];
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the grid has the focus, and its keys do the same.
    <div
      role="row"
      id={`row-${row}`}
      aria-rowindex={place + 2}
      aria-level={depth + 1}
      aria-expanded={hasChildren ? props.isOpen : undefined}
      aria-selected={isSelected}
      className={looks.join(' ')}
      style={{ transform: `translateY(${topPx}px)` }}
      onClick={() => props.onChoose(row)}
      onDoubleClick={() => props.onFit(row)}
    >
      <span role="gridcell" className="wf-name">
        <span className="wf-indent" style={{ width: depth * 14 }} />
        {hasChildren ? (
          <span
            className={props.isOpen ? 'twist open' : 'twist'}
            aria-hidden="true"
            onClick={(event) => {
              event.stopPropagation();
              props.onToggle(row);
            }}
          >
            <svg viewBox="0 0 10 10" width="10" height="10" className="shape">
              <path d="M3.5 2l3 3-3 3" />
            </svg>
          </span>
        ) : (
          <span className="twist" />
        )}
        <KindBadge kind={kind} />
        <span className="cut wf-words">
          <Foreign text={nameOf(table, row)} longest={120} />
        </span>
        <Markers bits={columns.markers[row] ?? 0} error={errorOf(table, row)} />
      </span>
      <span role="gridcell" className="wf-status">
        <StatusMark status={status} isBare={status === 'ok'} />
      </span>
      <span role="gridcell" className="wf-attempts right figure">
        {kind === 'attempt' || kind === 'verify' || kind === 'evidence' || attempts < 2 ? '' : attempts}
      </span>
      <span role="gridcell" className="wf-duration right figure">
        {isMoment ? '' : <Took table={table} row={row} />}
      </span>
      <span role="gridcell" className="wf-tokens right figure">
        {tokens === 0 ? '' : countText(tokens)}
      </span>
      <span role="gridcell" className="lane">
        <Bar table={table} scale={scale} row={row} />
        <Reason table={table} scale={scale} row={row} />
      </span>
    </div>
  );
});

/** An open row of a run that goes on grows with the clock; its bar does not, since the journal knows no more. */
function Took({ table, row }: Pick<RowProps, 'table' | 'row'>): React.ReactNode {
  const { columns } = table;
  const knownMs = durationOf(table, row);
  const isOpen = (columns.duration[row] ?? 0) < 0 && !columns.ended;
  if (!isOpen) return durationText(knownMs);
  return <Elapsed sinceMs={columns.startMs + startOf(table, row)} leastMs={knownMs} />;
}

/** Failures are the code; other markers are words that stand for themselves. */
function Markers({ bits, error }: { readonly bits: number; readonly error: string | undefined }): React.ReactNode {
  if (bits === 0 && error === undefined) return undefined;
  return (
    <span className="markers">
      {error === undefined ? undefined : <small className="tag tone-bad">{lineOf(error, 40)}</small>}
      {markersIn(bits).map((name) => (
        <small key={name} className={name === 'in-doubt' ? 'tag tone-doubt' : 'tag'}>
          {name.replaceAll('-', ' ')}
        </small>
      ))}
    </span>
  );
}
