/** A long list of parts that are as high as what is in them: those in view stand in the document, and are measured there. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';

export interface TallListProps {
  readonly label: string;
  readonly count: number;
  /** About how high a part is. */
  readonly guessPx: number;
  readonly keyOf: (place: number) => string | number;
  readonly render: (place: number) => React.ReactNode;
  /** A part that is brought into view. */
  readonly shown?: number | undefined;
  /** The end stays in view when parts come. */
  readonly follows?: boolean;
  readonly onNearEnd?: (() => void) | undefined;
}

export function TallList(props: TallListProps): React.ReactNode {
  const { label, count, guessPx, keyOf, render, shown, follows = false, onNearEnd } = props;
  const boxRef = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is kept over a render.
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => boxRef.current,
    estimateSize: () => guessPx,
    getItemKey: keyOf,
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (shown !== undefined && shown >= 0) virtual.scrollToIndex(shown, { align: 'start' });
  }, [shown, virtual]);
  useEffect(() => {
    if (follows && count > 0) virtual.scrollToIndex(count - 1, { align: 'end' });
  }, [follows, count, virtual]);
  const isNearEnd = last >= count - 10;
  useEffect(() => {
    if (isNearEnd) onNearEnd?.();
  }, [isNearEnd, onNearEnd]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable with keys.
    <div ref={boxRef} className="tall" role="list" aria-label={label} tabIndex={0} data-own-keys="">
      <div className="tall-rows" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => (
          <div
            key={item.key}
            role="listitem"
            aria-setsize={count}
            aria-posinset={item.index + 1}
            ref={virtual.measureElement}
            data-index={item.index}
            className="tall-row"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {render(item.index)}
          </div>
        ))}
      </div>
    </div>
  );
}
