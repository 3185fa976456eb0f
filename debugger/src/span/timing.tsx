/** Where the time of a span went: its parts in milliseconds, and what is between them. */
import { KindBadge, kindLook } from '../table/kinds.tsx';
import { phasesOf } from '../table/phases.ts';
import { durationOf, type RunTable, startOf } from '../table/run-table.ts';
import { lineOf } from '../words/foreign.tsx';
import { StatusMark } from '../words/status.tsx';
import { durationText } from '../words/time-text.ts';

export interface TimingProps {
  readonly table: RunTable;
  readonly row: number;
  readonly onChoose: (row: number) => void;
}

export function Timing({ table, row, onChoose }: TimingProps): React.ReactNode {
  const phases = phasesOf(table, row);
  if (phases.length === 0) return undefined;
  const wholeMs = Math.max(durationOf(table, row), Number.MIN_VALUE);
  const startMs = startOf(table, row);
  return (
    <section aria-label="Timing" className="timing">
      <h3>Timing</h3>
      <ol>
        {phases.map((phase) => (
          <li key={phase.row}>
            <button type="button" className="timing-row" onClick={() => onChoose(phase.row)}>
              <KindBadge kind={phase.kind} />
              <span className="cut timing-name">
                {phase.kind.startsWith('wait-') ? kindLook(phase.kind).title : lineOf(phase.name, 80)}
              </span>
              <StatusMark status={phase.status} isBare />
              <span className="figure timing-ms">{durationText(phase.durationMs)}</span>
              <span className="timing-lane" aria-hidden="true">
                <i
                  className={`phase k-${kindLook(phase.kind).colour} s-${phase.status} kind-${phase.kind}`}
                  style={{
                    left: `${((phase.startMs - startMs) / wholeMs) * 100}%`,
                    width: `${(phase.durationMs / wholeMs) * 100}%`,
                  }}
                />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
