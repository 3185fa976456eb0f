/** How long something has been going on. The clock runs while it is shown. */
import { useSyncExternalStore } from 'react';
import { durationText } from './time-text.ts';

const tickMs = 1_000;

let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** One clock for all of them, that stands still when there is none. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** @param leastMs What the journal knows already; a clock that is behind never makes it shorter. */
export function Elapsed({ sinceMs, leastMs }: { readonly sinceMs: number; readonly leastMs: number }): React.ReactNode {
  const now = useSyncExternalStore(subscribe, () => nowMs);
  return durationText(Math.max(leastMs, now - sinceMs));
}
