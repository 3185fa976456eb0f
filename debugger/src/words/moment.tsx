/** A moment, short for the eye and exact for machines and whoever points at it. */
import { distanceText, isoText, momentText } from './time-text.ts';

export interface MomentProps {
  readonly atMs: number;
  readonly className?: string;
  /** How it is said, where that is not by day and time. */
  readonly children?: React.ReactNode;
}

export function Moment({ atMs, className, children = momentText(atMs) }: MomentProps): React.ReactNode {
  const exact = isoText(atMs);
  return (
    <time className={className} dateTime={exact} title={`${exact}, ${distanceText(atMs)}`}>
      {children}
    </time>
  );
}
