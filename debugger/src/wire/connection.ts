/** Whether the server answers, for the line that says so. */
import { useSyncExternalStore } from 'react';

export type Connection = { readonly kind: 'up' } | { readonly kind: 'lost'; readonly sinceMs: number };

let connection: Connection = { kind: 'up' };
const listeners = new Set<() => void>();

export function noteAnswer(): void {
  if (connection.kind === 'up') return;
  connection = { kind: 'up' };
  for (const listener of listeners) listener();
}

export function noteSilence(): void {
  if (connection.kind === 'lost') return;
  connection = { kind: 'lost', sinceMs: Date.now() };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection);
}
