/** Whether the server answers, for the line that says so. */
import { useSyncExternalStore } from 'react';
import { Listeners } from './listeners.ts';

export type Connection = { readonly kind: 'up' } | { readonly kind: 'lost'; readonly sinceMs: number };

let connection: Connection = { kind: 'up' };
const listeners = new Listeners();

export function noteAnswer(): void {
  if (connection.kind === 'up') return;
  connection = { kind: 'up' };
  listeners.tell();
}

export function noteSilence(): void {
  if (connection.kind === 'lost') return;
  connection = { kind: 'lost', sinceMs: Date.now() };
  listeners.tell();
}

export function useConnection(): Connection {
  return useSyncExternalStore(listeners.subscribe, () => connection);
}
