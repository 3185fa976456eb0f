/**
 * A store on disk that stops the whole process at one append, and leaves it there to be killed: no promise settles, no timer fires, nothing is tidied up.
 * It says so first, with one line on standard output.
 */
import { writeSync } from 'node:fs';
import process from 'node:process';
import type { AppendBatch, Store } from '../../../src/journal/store.ts';

/** Before or after the append with this entry about this call. */
export interface Hold {
  readonly side: 'before' | 'after';
  readonly entry: 'attempt-started' | 'attempt-finished';
  readonly callId: string;
}

/** The line that tells that the process stands still. */
export const heldLine = 'held';
/** Nobody leaves a held process alone this long. */
const maxHeldMs = 60_000;

/** A store that stops its process at `hold`. */
export function holdingStore(store: Store, hold: Hold): Store {
  const append = store.append.bind(store);
  return Object.assign(store, {
    append: async (batch: AppendBatch) => {
      const isIt = batch.append.entries.some((entry) => entry.type === hold.entry && entry.callId === hold.callId);
      if (isIt && hold.side === 'before') standStill();
      const position = await append(batch);
      if (isIt) standStill();
      return position;
    },
  });
}

function standStill(): void {
  writeSync(1, `${heldLine}\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, maxHeldMs);
  process.exit(1);
}
