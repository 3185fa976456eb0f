/**
 * A ledger: what really happened, written by the service to which it happened. One JSON object a line, only ever appended,
 * synced before the service answers, so that a verdict can read it whatever became of the caller.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

export class Ledger<Row extends object> {
  readonly #file: string;
  readonly #descriptor: number;
  #size: number;

  constructor(file: string) {
    this.#file = file;
    this.#size = existsSync(file) ? readLedger(file).length : 0;
    this.#descriptor = openSync(file, 'a');
  }

  /** How many rows the ledger has, those of earlier processes included. */
  get size(): number {
    return this.#size;
  }

  /** Adds a row; it is on disk when this returns. */
  append(row: Row): void {
    writeSync(this.#descriptor, `${JSON.stringify(row)}\n`);
    fsyncSync(this.#descriptor);
    this.#size += 1;
  }

  rows(): readonly unknown[] {
    return readLedger(this.#file);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** The rows of a ledger that a service wrote. A last line without its end was cut off while it was written, and is left out. */
export function readLedger(file: string): readonly unknown[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.slice(0, -1).map((line): unknown => JSON.parse(line));
}
