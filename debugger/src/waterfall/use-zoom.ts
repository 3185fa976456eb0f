/** What part of the time is shown: kept in the address, and ahead of it while a hand is at the wheel. */
import { useEffect, useRef, useState } from 'react';
import { parseZoom, type Span, writeZoom } from '../table/time-scale.ts';

/** Rest after which the address is brought up to date. */
const restMs = 250;

export interface Zoom {
  /** Undefined when the whole is shown. */
  readonly shown: Span | undefined;
  readonly show: (span: Span | undefined) => void;
}

export function useZoom(text: string | undefined, keep: (text: string | undefined) => void): Zoom {
  const [ahead, setAhead] = useState<{ readonly span: Span | undefined } | undefined>(undefined);
  const latest = useRef(keep);
  useEffect(() => {
    latest.current = keep;
  });
  useEffect(() => {
    if (ahead === undefined) return undefined;
    const timer = setTimeout(() => {
      latest.current(ahead.span === undefined ? undefined : writeZoom(ahead.span));
      setAhead(undefined);
    }, restMs);
    return () => clearTimeout(timer);
  }, [ahead]);
  return {
    shown: ahead === undefined ? parseZoom(text) : ahead.span,
    show: (span) => setAhead({ span }),
  };
}
