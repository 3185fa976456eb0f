/** Functions whose identity never changes, so that rows that stay the same are not drawn again. */
import { useEffect, useRef, useState } from 'react';

export function useStable<Words extends readonly unknown[]>(act: (...words: Words) => void): (...words: Words) => void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  const [stable] = useState(
    () =>
      (...words: Words): void =>
        latest.current(...words),
  );
  return stable;
}
