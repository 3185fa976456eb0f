/**
 * The airline's own book of what was done: kept outside of Axle, it outlives every process that is killed.
 *
 * G1 A line is in the book before the tool answers. In a file it is one write with O_APPEND, which a kill of the writing process cannot tear.
 */
import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';

export type LedgerLine =
  /** A call was carried out. */
  | {
      readonly kind: 'performed';
      /** The idempotency key: the identity of the call over attempts and processes. */
      readonly key: string;
      /** `run/call` in Axle. */
      readonly call: string;
      /** Which call of the recording it was. */
      readonly recordedId: string;
      readonly attempt: number;
    }
  /** Something happened that the recording does not have. */
  | { readonly kind: 'fault'; readonly message: string };

export interface Ledger {
  readonly lines: readonly LedgerLine[];
  write(line: LedgerLine): void;
}

export function ledgerInMemory(): Ledger {
  const lines: LedgerLine[] = [];
  return { lines, write: (line) => void lines.push(line) };
}

/** A ledger that is written to a file, and begins with what is there. */
export function ledgerInFile(path: string): Ledger {
  const lines = existsSync(path) ? linesOf(readFileSync(path, 'utf8')) : [];
  const file = openSync(path, 'a');
  return {
    lines,
    write: (line) => {
      writeSync(file, `${JSON.stringify(line)}\n`);
      lines.push(line);
    },
  };
}

function linesOf(text: string): LedgerLine[] {
  // Only `write` above makes these lines.
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LedgerLine);
}
