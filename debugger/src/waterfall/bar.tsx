/** The bar of a span, with its phases inside. */
import { kindLook } from '../table/kinds.tsx';
import { hasPhases, phasesOf } from '../table/phases.ts';
import { durationOf, kindOf, type RunTable, startOf, statusOf } from '../table/run-table.ts';
import type { TimeScale } from '../table/time-scale.ts';

export interface BarProps {
  readonly table: RunTable;
  readonly scale: TimeScale;
  readonly row: number;
}

export function Bar({ table, scale, row }: BarProps): React.ReactNode {
  const kind = kindOf(table, row);
  const status = statusOf(table, row);
  const whole = placed(scale, startOf(table, row), durationOf(table, row));
  if (whole === undefined) return undefined;
  const { shape, colour } = kindLook(kind);
  if (shape === 'diamond') return <i className={`moment k-${colour}`} style={{ left: whole.left }} />;
  const isBracket = kind === 'run' || kind === 'step' || hasPhases(kind);
  const bar = (
    <i className={`bar-of ${isBracket ? 'bracket' : ''} k-${colour} s-${status} kind-${kind}`} style={whole} />
  );
  if (!hasPhases(kind)) return bar;
  return (
    <>
      {bar}
      {phasesOf(table, row).map((phase) => {
        const style = placed(scale, phase.startMs, phase.durationMs);
        if (style === undefined) return undefined;
        const look = kindLook(phase.kind);
        if (phase.kind === 'doubt') return undefined;
        if (look.shape === 'diamond') {
          return <i key={phase.row} className={`moment k-${look.colour}`} style={{ left: style.left }} />;
        }
        return (
          <i
            key={phase.row}
            className={`phase k-${phaseColour(kind, look.colour)} s-${phase.status} kind-${phase.kind}`}
            style={style}
          />
        );
      })}
    </>
  );
}

/** Attempts have the colour of what they are attempts of. */
function phaseColour(kind: string, colour: string): string {
  if (colour !== 'attempt') return colour;
  return kind === 'model' ? 'model' : 'call';
}

/** Undefined for what is outside of what is shown. */
function placed(
  scale: TimeScale,
  startMs: number,
  durationMs: number,
): { readonly left: string; readonly width: string } | undefined {
  const { fromMs, toMs } = scale.shown;
  if (startMs > toMs || startMs + durationMs < fromMs) return undefined;
  const from = Math.max(-0.01, scale.toPlace(startMs));
  const to = Math.min(1.01, scale.toPlace(startMs + durationMs));
  return { left: `${from * 100}%`, width: `${Math.max(0, to - from) * 100}%` };
}
