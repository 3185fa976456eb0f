/** What part of the time is shown, and how times become places. */
import { useMemo } from 'react';
import type { RunSearch } from '../app/search.ts';
import type { Change } from '../run/use-change.ts';
import { gapsWorthLeavingOut, idleTime } from '../table/idle-time.ts';
import { durationOf, type RunTable, startOf } from '../table/run-table.ts';
import { grownEnd, type Span, timeScale, type TimeScale, within, zoomed } from '../table/time-scale.ts';
import { useZoom } from './use-zoom.ts';

export interface Time {
  readonly whole: Span;
  /** Undefined when the whole is shown. */
  readonly zoom: Span | undefined;
  readonly scale: TimeScale;
  /** How much of what is shown is idle. */
  readonly idleShare: number;
  readonly show: (span: Span | undefined) => void;
  /** Shows one row and a little around it. */
  readonly fit: (row: number) => void;
  readonly zoomBy: (factor: number, row: number) => void;
  /** With the control key (a pinch sends it too) a wheel zooms around the pointer; sideways it moves along. */
  readonly wheel: (event: WheelEvent, place: number) => void;
}

/** @param onMove Called before anything is shown that a person asked for. */
export function useTime(
  table: RunTable,
  { search, change, onMove }: { readonly search: RunSearch; readonly change: Change; readonly onMove: () => void },
): Time {
  const { columns } = table;
  const zoom = useZoom(search.zoom, (text) => change({ zoom: text }));
  const isLive = !columns.ended;
  const lastMs = columns.lastMs - columns.startMs;
  const whole: Span = useMemo(
    () => ({ fromMs: 0, toMs: isLive ? grownEnd(lastMs) : Math.max(1, lastMs) }),
    [isLive, lastMs],
  );
  const shown = zoom.shown ?? whole;
  const idle = useMemo(() => idleTime(table), [table]);
  const offer = useMemo(() => gapsWorthLeavingOut(idle, shown), [idle, shown]);
  const isLeftOut = search.gaps === 'out';
  const scale = useMemo(() => timeScale(shown, isLeftOut ? offer.gaps : []), [shown, isLeftOut, offer]);
  const show = (span: Span | undefined): void => {
    onMove();
    zoom.show(span);
  };
  return {
    whole,
    zoom: zoom.shown,
    scale,
    idleShare: offer.share,
    show,
    fit: (row) => {
      const fromMs = startOf(table, row);
      const lengthMs = Math.max(durationOf(table, row), 0.1);
      show(within({ fromMs: fromMs - lengthMs * 0.05, toMs: fromMs + lengthMs * 1.05 }, whole));
    },
    zoomBy: (factor, row) => {
      const aroundMs = Math.max(shown.fromMs, Math.min(shown.toMs, startOf(table, row)));
      show(zoomed(shown, whole, { factor, aroundMs }));
    },
    wheel: (event, place) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const factor = 2 ** (Math.max(-50, Math.min(50, event.deltaY)) / 50);
        show(zoomed(shown, whole, { factor, aroundMs: scale.toMs(place) }));
        return;
      }
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      const isSideways = event.shiftKey ? sideways !== 0 : Math.abs(sideways) > Math.abs(event.deltaY);
      if (!isSideways || zoom.shown === undefined) return;
      event.preventDefault();
      const byMs = ((shown.toMs - shown.fromMs) * sideways) / 800;
      show(within({ fromMs: shown.fromMs + byMs, toMs: shown.toMs + byMs }, whole));
    },
  };
}
