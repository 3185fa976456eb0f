/** A line between two parts that can be moved, by pointer and by arrows. */
import { useRef } from 'react';

export interface SplitterProps {
  readonly label: string;
  readonly valuePx: number;
  readonly leastPx: number;
  readonly mostPx: number;
  /** Where the part that grows stands: `after` the line grows when the line moves left. */
  readonly grows: 'before' | 'after';
  readonly onChange: (px: number) => void;
}

const stepPx = 24;

export function Splitter({ label, valuePx, leastPx, mostPx, grows, onChange }: SplitterProps): React.ReactNode {
  const start = useRef<{ readonly x: number; readonly px: number } | undefined>(undefined);
  const sign = grows === 'before' ? 1 : -1;
  const change = (px: number): void => onChange(Math.round(Math.max(leastPx, Math.min(mostPx, px))));
  return (
    <div
      role="separator"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={Math.round(valuePx)}
      aria-valuemin={leastPx}
      aria-valuemax={mostPx}
      tabIndex={0}
      className="splitter"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, px: valuePx };
        event.preventDefault();
      }}
      onPointerMove={({ clientX }) => {
        if (start.current !== undefined) change(start.current.px + sign * (clientX - start.current.x));
      }}
      onPointerUp={() => {
        start.current = undefined;
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft') change(valuePx - sign * stepPx);
        else if (event.key === 'ArrowRight') change(valuePx + sign * stepPx);
        else return;
        event.preventDefault();
      }}
    />
  );
}
