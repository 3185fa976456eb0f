/** One run as a row of the list. */
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { RunRow } from '../../../src/server/wire.ts';
import { Foreign } from '../words/foreign.tsx';
import type { Column } from './columns.tsx';

export function RunsHead({ columns }: { readonly columns: readonly Column[] }): React.ReactNode {
  return (
    <div role="rowgroup" className="grid-head">
      <div role="row" className="runs-row" aria-rowindex={1}>
        {columns.map((column) => (
          <span key={column.name} role="columnheader" className={classOf(column)}>
            {column.title}
          </span>
        ))}
      </div>
    </div>
  );
}

export interface RunsRowProps {
  readonly run: RunRow;
  readonly columns: readonly Column[];
  readonly place: number;
  readonly topPx: number;
  readonly isCurrent: boolean;
  readonly onFocus: (place: number) => void;
}

export const RunsRow = memo(function RunsRow(props: RunsRowProps): React.ReactNode {
  const { run, columns, place, topPx, isCurrent, onFocus } = props;
  const { runId, goal } = run;
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      className={isCurrent ? 'runs-row grid-row current' : 'runs-row grid-row'}
      data-row={place}
      style={{ transform: `translateY(${topPx}px)` }}
    >
      {columns.map((column) => (
        <span key={column.name} role="cell" className={`${classOf(column)} ${column.look?.(run) ?? ''}`}>
          {column.name === 'goal' ? (
            <Link
              to="/runs/$runId"
              params={{ runId }}
              className="row-link cut"
              tabIndex={isCurrent ? 0 : -1}
              onFocus={() => onFocus(place)}
            >
              <Foreign text={goal ?? runId} longest={200} />
            </Link>
          ) : (
            column.cell(run)
          )}
        </span>
      ))}
    </div>
  );
});

function classOf({ name, isFigure }: Column): string {
  return isFigure === true ? `cell ${name} right figure` : `cell ${name}`;
}
