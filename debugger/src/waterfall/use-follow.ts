/**
 * Two ways to look at a run that goes on.
 *
 *   follow ──scroll up, zoom, move the cursor──► inspect        inspect ──`f` or the button──► follow
 *
 * While following, the end of the list stays in view. Inspecting, nothing moves under the eye: new rows come below, and a button says how many.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface Follow {
  readonly isFollowing: boolean;
  /** Rows that came since following ended. */
  readonly unseen: number;
  readonly follow: () => void;
  readonly inspect: () => void;
}

export interface FollowOptions {
  readonly boxRef: RefObject<HTMLElement | null>;
  readonly isLive: boolean;
  /** Follow from the start, unless a link says what to look at. */
  readonly starts: boolean;
  readonly rowCount: number;
}

/** So near to the end counts as being there. */
const nearPx = 40;

export function useFollow({ boxRef, isLive, starts, rowCount }: FollowOptions): Follow {
  const [isWanted, setWanted] = useState(starts);
  const [seen, setSeen] = useState(rowCount);
  const isFollowing = isLive && isWanted;

  useLayoutEffect(() => {
    const box = boxRef.current;
    if (isFollowing && rowCount > 0 && box !== null) box.scrollTop = box.scrollHeight;
  }, [isFollowing, rowCount, boxRef]);

  const count = useRef(rowCount);
  useEffect(() => {
    count.current = rowCount;
  });
  const inspect = useCallback(() => {
    setWanted((before) => {
      if (before) setSeen(count.current);
      return false;
    });
  }, []);
  const follow = useCallback(() => setWanted(true), []);

  useEffect(() => {
    const box = boxRef.current;
    if (box === null || !isFollowing) return undefined;
    const look = (): void => {
      if (box.scrollHeight - box.clientHeight - box.scrollTop > nearPx) inspect();
    };
    // A wheel that turns up says so before anything has moved: a row that comes in the same frame would put the list back to its end.
    const turned = ({ deltaY }: WheelEvent): void => {
      if (deltaY < 0 && box.scrollTop > 0) inspect();
    };
    // A scroll that we make ourselves ends at the end; only a hand ends elsewhere.
    const events = ['touchmove', 'pointerup', 'keyup'] as const;
    const later = (): void => void requestAnimationFrame(look);
    box.addEventListener('wheel', turned, { passive: true });
    for (const name of events) box.addEventListener(name, later, { passive: true });
    return () => {
      box.removeEventListener('wheel', turned);
      for (const name of events) box.removeEventListener(name, later);
    };
  }, [isFollowing, inspect, boxRef]);

  return { isFollowing, unseen: isFollowing ? 0 : Math.max(0, rowCount - seen), follow, inspect };
}
