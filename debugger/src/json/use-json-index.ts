/** An index that is made while it is shown: in slices, so that the page never stands still. */
import { useEffect, useState } from 'react';
import { JsonIndex } from './json-index.ts';

/** A slice of this many bytes takes some milliseconds. */
const sliceBytes = 500_000;

/** What is known of a text; a new one after every slice. */
export interface IndexView {
  readonly index: JsonIndex;
}

export function useJsonIndex(bytes: Uint8Array): IndexView {
  const [view, setView] = useState(() => begun(bytes));
  const current = view.index.bytes === bytes ? view : undefined;
  useEffect(() => {
    const { index } = current ?? begun(bytes);
    if (index.isDone || index.faultAt !== undefined) {
      if (current === undefined) setView({ index });
      return undefined;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const goOn = (): void => {
      index.scan(sliceBytes);
      setView({ index });
      if (!index.isDone && index.faultAt === undefined) timer = setTimeout(goOn, 0);
    };
    timer = setTimeout(goOn, 0);
    return () => clearTimeout(timer);
    // Slices of the same text go on by themselves.
    // oxlint-disable-next-line react/exhaustive-deps -- see above.
  }, [bytes]);
  return current ?? view;
}

function begun(bytes: Uint8Array): IndexView {
  const index = new JsonIndex(bytes);
  index.scan(sliceBytes);
  return { index };
}
