/** Why a span failed, in its own lane: beside its bar, on the side where there is more room. */
import { durationOf, reasonOf, type RunTable, startOf } from '../table/run-table.ts';
import type { TimeScale } from '../table/time-scale.ts';
import { Foreign } from '../words/foreign.tsx';

/** Share of the lane below which nothing of it could be read. */
const leastRoom = 0.25;

export interface ReasonProps {
  readonly table: RunTable;
  readonly scale: TimeScale;
  readonly row: number;
}

export function Reason({ table, scale, row }: ReasonProps): React.ReactNode {
  const reason = reasonOf(table, row);
  if (reason === undefined) return undefined;
  const startMs = startOf(table, row);
  const before = inLane(scale.toPlace(startMs));
  const after = inLane(1 - scale.toPlace(startMs + durationOf(table, row)));
  if (Math.max(before, after) < leastRoom) return undefined;
  const isAfter = after >= before;
  return (
    <small
      className={isAfter ? 'wf-reason cut' : 'wf-reason cut right'}
      style={isAfter ? { left: `${(1 - after) * 100}%`, right: 0 } : { left: 0, right: `${(1 - before) * 100}%` }}
    >
      <Foreign text={reason} />
    </small>
  );
}

function inLane(place: number): number {
  return Math.min(1, Math.max(0, place));
}
