/**
 * The whole run in a strip: every span a line, in the order in which they began. A stretch can be drawn to zoom, the window can be moved.
 * It says nothing that the grid does not say in words, so screen readers pass over it.
 */
import { useEffect, useRef, useState } from 'react';
import { useSetting } from '../app/settings.ts';
import { failureTest } from '../table/failure-test.ts';
import { kindLook } from '../table/kinds.tsx';
import { durationOf, type RunTable, startOf } from '../table/run-table.ts';
import { type Span, within } from '../table/time-scale.ts';

const heightPx = 40;
/** A press that moves less is a click. */
const clickPx = 4;

export interface MinimapProps {
  readonly table: RunTable;
  readonly whole: Span;
  /** Undefined when the whole is shown. */
  readonly shown: Span | undefined;
  readonly onShow: (span: Span | undefined) => void;
}

export function Minimap({ table, whole, shown, onShow }: MinimapProps): React.ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [widthPx, setWidthPx] = useState(0);
  const [drawn, setDrawn] = useState<Span>();
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidthPx(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const endMs = whole.toMs;
  const isDark = useIsDark();
  useEffect(() => {
    if (canvas.current !== null && widthPx > 0) draw(canvas.current, table, { endMs, isDark });
  }, [table, endMs, widthPx, isDark]);
  const press = usePress({ whole, shown, onDraw: setDrawn, onShow });
  const seen = drawn ?? shown;
  return (
    <div className="minimap" aria-hidden="true" {...press}>
      <canvas ref={canvas} height={heightPx} />
      {seen === undefined ? undefined : (
        <>
          <i className="veil" style={{ left: 0, width: share(seen.fromMs, whole) }} />
          <i className="veil" style={{ left: share(seen.toMs, whole), right: 0 }} />
          <i
            className="view-window"
            style={{ left: share(seen.fromMs, whole), right: share(whole.toMs - seen.toMs + whole.fromMs, whole) }}
          />
        </>
      )}
    </div>
  );
}

function share(ms: number, { fromMs, toMs }: Span): string {
  return `${Math.max(0, Math.min(1, (ms - fromMs) / (toMs - fromMs))) * 100}%`;
}

interface Press {
  readonly whole: Span;
  readonly shown: Span | undefined;
  readonly onDraw: (span: Span | undefined) => void;
  readonly onShow: (span: Span | undefined) => void;
}

/** Drawing on free ground makes a window, drawing in the window moves it, a click brings the window there, a double click shows the whole. */
function usePress({ whole, shown, onDraw, onShow }: Press): React.HTMLAttributes<HTMLElement> {
  const from = useRef<{ readonly x: number; readonly ms: number; readonly moved: Span | undefined } | undefined>(
    undefined,
  );
  const msAt = (event: React.PointerEvent<HTMLElement>): number => {
    const box = event.currentTarget.getBoundingClientRect();
    return whole.fromMs + ((event.clientX - box.left) / box.width) * (whole.toMs - whole.fromMs);
  };
  const drawnTo = (event: React.PointerEvent<HTMLElement>): Span | undefined => {
    const start = from.current;
    if (start === undefined || Math.abs(event.clientX - start.x) < clickPx) return undefined;
    const ms = msAt(event);
    if (start.moved !== undefined) {
      const byMs = ms - start.ms;
      return within({ fromMs: start.moved.fromMs + byMs, toMs: start.moved.toMs + byMs }, whole);
    }
    return {
      fromMs: Math.max(whole.fromMs, Math.min(start.ms, ms)),
      toMs: Math.min(whole.toMs, Math.max(start.ms, ms)),
    };
  };
  return {
    onPointerDown: (event) => {
      if (event.button !== 0) return;
      const ms = msAt(event);
      const isInside = shown !== undefined && ms > shown.fromMs && ms < shown.toMs;
      from.current = { x: event.clientX, ms, moved: isInside ? shown : undefined };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event) => {
      const span = drawnTo(event);
      if (span !== undefined) onDraw(span);
    },
    onPointerUp: (event) => {
      const span = drawnTo(event);
      const start = from.current;
      from.current = undefined;
      onDraw(undefined);
      if (span !== undefined && span.toMs > span.fromMs) onShow(span);
      else if (start !== undefined && shown !== undefined && start.moved === undefined) {
        const half = (shown.toMs - shown.fromMs) / 2;
        onShow(within({ fromMs: start.ms - half, toMs: start.ms + half }, whole));
      }
    },
    onPointerCancel: () => {
      from.current = undefined;
      onDraw(undefined);
    },
    onDoubleClick: () => onShow(undefined),
  };
}

/** What is worth a line: what holds others would only cover them. */
const unseen = new Set(['run', 'step']);

interface Look {
  readonly endMs: number;
  readonly isDark: boolean;
}

function draw(canvas: HTMLCanvasElement, table: RunTable, { endMs, isDark }: Look): void {
  const { columns } = table;
  const scale = window.devicePixelRatio;
  const width = Math.max(1, Math.round(canvas.clientWidth * scale));
  const height = Math.max(1, Math.round(heightPx * scale));
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = coloursOf(table, isDark);
  const { rowCount, kind } = columns;
  const thick = Math.max(
    Math.round(2 * scale),
    Math.min(Math.round(3 * scale), Math.floor(height / Math.max(1, rowCount))),
  );
  const isFailure = failureTest(table);
  // Failures come last, so that no other line covers them.
  for (const pass of [false, true]) {
    for (let row = 0; row < rowCount; row += 1) {
      const isBad = isFailure(row);
      if (isBad !== pass) continue;
      const colour = isBad ? colours.bad : (colours.kinds[kind[row] ?? 0] ?? 0);
      if (colour === 0) continue;
      const from = Math.floor((startOf(table, row) / endMs) * (width - 1));
      const to = Math.max(from + 1, Math.ceil(((startOf(table, row) + durationOf(table, row)) / endMs) * width));
      const top = Math.floor((row / Math.max(1, rowCount)) * (height - thick));
      for (let line = top; line < top + thick; line += 1) {
        pixels.fill(colour, line * width + from, line * width + Math.min(width, to));
      }
    }
  }
  context.putImageData(image, 0, 0);
}

function coloursOf(
  { columns }: RunTable,
  isDark: boolean,
): { readonly kinds: readonly number[]; readonly bad: number } {
  const style = getComputedStyle(document.documentElement);
  const probe = document.createElement('canvas');
  probe.width = 1;
  probe.height = 1;
  const context = probe.getContext('2d', { willReadFrequently: true });
  const pixelOf = (name: string): number => {
    if (context === null) return 0;
    context.fillStyle = colourNow(style.getPropertyValue(name), isDark);
    context.fillRect(0, 0, 1, 1);
    return new Uint32Array(context.getImageData(0, 0, 1, 1).data.buffer)[0] ?? 0;
  };
  return {
    kinds: columns.kinds.all.map((kind) => (unseen.has(kind) ? 0 : pixelOf(`--kind-${kindLook(kind).colour}`))),
    bad: pixelOf('--bad'),
  };
}

/** Of `light-dark(a, b)` the colour that counts now; a canvas does not know the function. */
function colourNow(said: string, isDark: boolean): string {
  const pair = /^light-dark\((.+?),\s*(.+)\)$/u.exec(said.trim());
  return (isDark ? pair?.[2] : pair?.[1]) ?? said;
}

/** Asked anew whenever the looks are changed in the page or in the system. */
function useIsDark(): boolean {
  const theme = useSetting('theme');
  const [isSystemDark, setSystemDark] = useState(() => window.matchMedia(darkQuery).matches);
  useEffect(() => {
    const query = window.matchMedia(darkQuery);
    const hear = (): void => setSystemDark(query.matches);
    query.addEventListener('change', hear);
    return () => query.removeEventListener('change', hear);
  }, []);
  return theme === 'system' ? isSystemDark : theme === 'dark';
}

const darkQuery = '(prefers-color-scheme: dark)';
