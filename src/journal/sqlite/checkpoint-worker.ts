/**
 * The thread that checkpoints, with a connection of its own. It is asked by messages and answers each with one.
 * It imports nothing of Axle, so that it runs from source and from a build alike.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** `PASSIVE` copies what it can beside writers; `RESTART` copies the rest and lets the next writer begin the log anew. */
export type CheckpointRequest = 'PASSIVE' | 'RESTART' | 'CLOSE';

export type CheckpointAnswer =
  /** `complete`: every frame of the log is in the database. */
  | { readonly ok: true; readonly complete: boolean }
  | { readonly ok: false; readonly message: string; readonly sqliteCode: number | undefined };

const path: unknown = workerData;
if (typeof path !== 'string' || parentPort === null) {
  throw new Error('The checkpoint worker is started by the store only.');
}
const port = parentPort;
const database = new DatabaseSync(path, { timeout: 100 });
database.exec('PRAGMA wal_autocheckpoint = 0');

port.on('message', (request: CheckpointRequest) => {
  if (request === 'CLOSE') {
    database.close();
    port.close();
    return;
  }
  port.postMessage(checkpoint(request));
});

function checkpoint(mode: 'PASSIVE' | 'RESTART'): CheckpointAnswer {
  try {
    const row = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    return { ok: true, complete: row?.['busy'] === 0 && row['log'] === row['checkpointed'] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const sqliteCode =
      error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
    return { ok: false, message, sqliteCode };
  }
}
