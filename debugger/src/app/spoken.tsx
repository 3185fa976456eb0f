/** Short words about what was just done: seen at the edge, heard by screen readers. */
import { useSyncExternalStore } from 'react';
import { Listeners } from '../wire/listeners.ts';

const shownMs = 4_000;

let words = '';
let hideTimer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Listeners();

/** Says what a person has just brought about. */
export function say(text: string): void {
  clearTimeout(hideTimer);
  hideTimer = setTimeout(() => show(''), shownMs);
  show(text);
}

function show(text: string): void {
  words = text;
  listeners.tell();
}

export function Spoken(): React.ReactNode {
  const said = useSyncExternalStore(listeners.subscribe, () => words);
  return (
    <div className={said === '' ? 'spoken' : 'spoken shown'} role="status" aria-live="polite">
      {said}
    </div>
  );
}
