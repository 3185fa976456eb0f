/**
 * Which rows of a long list stand in the page: rows of one height, drawn where the eye is.
 *
 * V1 The number of rows in the document depends on the height of the box and never on the length of the list.
 * V2 A list that is higher than browsers can scroll is scrolled in proportion, so its last row can always be reached.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';

/** Browsers stop counting at some 17 to 33 million pixels. */
const tallestPx = 8_000_000;

export interface RowWindow {
  /** First row that is drawn. */
  readonly first: number;
  /** One after the last row that is drawn. */
  readonly end: number;
  /** Height of what is scrolled. */
  readonly heightPx: number;
  /** Where row `first` stands in it. */
  readonly topPx: number;
  /** Rows that fit. */
  readonly page: number;
  /** More rows than are ever drawn: the places of drawn rows differ by this much, so elements can be used again for other rows. */
  readonly pool: number;
  /** Brings a row into view, with as little movement as it takes, or to the middle. */
  readonly reveal: (row: number, where?: 'nearest' | 'middle') => void;
}

interface View {
  readonly offsetPx: number;
  readonly boxPx: number;
}

export interface RowWindowOptions {
  readonly count: number;
  readonly rowPx: number;
  readonly boxRef: RefObject<HTMLElement | null>;
  /** Rows drawn above and below what is seen. @defaultValue 10 */
  readonly spare?: number;
  /** Height of what stands still at the top of the box and covers rows. @defaultValue 0 */
  readonly coveredPx?: number;
}

export function useRowWindow({ count, rowPx, boxRef, spare = 10, coveredPx = 0 }: RowWindowOptions): RowWindow {
  const [view, setView] = useState<View>({ offsetPx: 0, boxPx: 600 });
  const fullPx = count * rowPx;
  const heightPx = Math.min(fullPx, tallestPx);
  const latest = useRef({ fullPx, heightPx, rowPx, coveredPx, boxHeightPx: 600 });
  useLayoutEffect(() => {
    latest.current = { ...latest.current, fullPx, heightPx, rowPx, coveredPx };
  });

  const measure = useCallback(
    (heightPx?: number) => {
      const box = boxRef.current;
      if (box === null) return;
      // While it is scrolled its height is known, and asking for it would lay the page out once more.
      if (heightPx !== undefined) latest.current.boxHeightPx = heightPx;
      const boxPx = latest.current.boxHeightPx - latest.current.coveredPx;
      const offsetPx = box.scrollTop * ratioOf(latest.current, boxPx);
      setView((before) => {
        const step = latest.current.rowPx;
        const isSame =
          before.boxPx === boxPx &&
          (latest.current.fullPx === latest.current.heightPx
            ? Math.floor(before.offsetPx / step) === Math.floor(offsetPx / step)
            : before.offsetPx === offsetPx);
        return isSame ? before : { offsetPx, boxPx };
      });
    },
    [boxRef],
  );

  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- what is measured depends on them through `latest`.
  useLayoutEffect(() => measure(boxRef.current?.clientHeight), [measure, boxRef, count, rowPx, coveredPx]);

  useEffect(() => {
    const box = boxRef.current;
    if (box === null) return undefined;
    const observer = new ResizeObserver(() => measure(box.clientHeight));
    const scrolled = (): void => measure();
    observer.observe(box);
    box.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', scrolled);
    };
  }, [measure, boxRef]);

  const reveal = useCallback(
    (row: number, where: 'nearest' | 'middle' = 'nearest') => {
      const box = boxRef.current;
      if (box === null) return;
      const now = latest.current;
      const boxPx = box.clientHeight - now.coveredPx;
      const ratio = ratioOf(now, boxPx);
      const offsetPx = box.scrollTop * ratio;
      const topPx = row * now.rowPx;
      const bottomPx = topPx + now.rowPx;
      if (where === 'nearest' && topPx >= offsetPx && bottomPx <= offsetPx + boxPx) return;
      const wantedPx =
        where === 'middle' ? topPx - (boxPx - now.rowPx) / 2 : topPx < offsetPx ? topPx : bottomPx - boxPx;
      box.scrollTop = Math.max(0, wantedPx) / ratio;
      measure();
    },
    [measure, boxRef],
  );

  return useMemo(() => {
    const { offsetPx, boxPx } = view;
    const first = Math.max(0, Math.floor(offsetPx / rowPx) - spare);
    const end = Math.min(count, Math.ceil((offsetPx + boxPx) / rowPx) + spare);
    const page = Math.max(1, Math.floor(boxPx / rowPx) - 1);
    // In proportion, rows are placed against the box; otherwise against the list.
    const ratio = ratioOf({ fullPx, heightPx }, boxPx);
    const topPx = ratio === 1 ? first * rowPx : offsetPx / ratio + (first * rowPx - offsetPx);
    const pool = Math.ceil(boxPx / rowPx) + 2 * spare + 2;
    return { first, end: Math.max(first, end), heightPx, topPx, page, pool, reveal };
  }, [view, rowPx, spare, count, fullPx, heightPx, reveal]);
}

function ratioOf({ fullPx, heightPx }: { readonly fullPx: number; readonly heightPx: number }, boxPx: number): number {
  return fullPx <= heightPx || heightPx <= boxPx ? 1 : (fullPx - boxPx) / (heightPx - boxPx);
}

/** A size of the style sheet, given in `rem`, in pixels: whoever makes text larger makes rows higher. */
export function useSizePx(name: '--row' | '--head-row' | '--json-row'): number {
  const [sizePx] = useState(() => {
    const style = getComputedStyle(document.documentElement);
    return Number.parseFloat(style.getPropertyValue(name)) * Number.parseFloat(style.fontSize);
  });
  return sizePx;
}
