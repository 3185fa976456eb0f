/** The times above the bars, and the lines through them. */
import { clockText, offsetText } from '../words/time-text.ts';
import { ticksOf, type TimeScale } from '../table/time-scale.ts';

export interface AxisProps {
  readonly scale: TimeScale;
  readonly widthPx: number;
  /** Set to show times of day: when the run began. */
  readonly startMs: number | undefined;
}

/** How much room the words of a tick need. */
const tickPx = 96;

export function Axis({ scale, widthPx, startMs }: AxisProps): React.ReactNode {
  const { ticks, stepMs } = ticksOf(scale, Math.max(1, Math.floor(widthPx / tickPx)));
  return ticks.map(({ ms, place }) => (
    <span
      key={ms}
      className={place > 1 - 60 / Math.max(1, widthPx) ? 'tick-words last figure' : 'tick-words figure'}
      style={{ left: `${place * 100}%` }}
    >
      {startMs === undefined ? tickText(ms, stepMs) : clockText(startMs + ms)}
    </span>
  ));
}

function tickText(ms: number, stepMs: number): string {
  if (ms === 0) return '0';
  if (stepMs < 1) return `+${Number(ms.toFixed(3))} ms`;
  return offsetText(ms)
    .replace(/(\.\d*?)0+(?= s|$)/u, '$1')
    .replace(/\.(?= s|$)/u, '');
}

export function AxisLines({ scale, widthPx }: Pick<AxisProps, 'scale' | 'widthPx'>): React.ReactNode {
  const { ticks } = ticksOf(scale, Math.max(1, Math.floor(widthPx / tickPx)));
  return (
    <>
      {ticks.map(({ ms, place }) => (
        <i key={ms} className="tick-line" style={{ left: `${place * 100}%` }} />
      ))}
      {scale.gaps.map(({ fromMs, toMs }) => (
        <i
          key={`gap-${fromMs}`}
          className="left-out"
          style={{
            left: `${scale.toPlace(fromMs) * 100}%`,
            width: `${(scale.toPlace(toMs) - scale.toPlace(fromMs)) * 100}%`,
          }}
        />
      ))}
    </>
  );
}
