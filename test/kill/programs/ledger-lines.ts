/** What the ledger keeps: one line for each effect that really happened, whoever asked for it and whatever became of the asker. */
import { existsSync, readFileSync } from 'node:fs';

/** What an effect is for, as its tool declares it. */
export type EffectKind = 'read' | 'idempotent' | 'write';

export interface LedgerLine {
  /** Place in the ledger, from 1: the receipt that the asker is given. */
  readonly receipt: number;
  readonly kind: EffectKind;
  readonly tool: string;
  readonly key: string;
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly pid: number;
  readonly text: string;
}

/** What a tool asks of the ledger's process. */
export interface EffectRequest extends Omit<LedgerLine, 'receipt'> {
  /**
   * How the ledger behaves: `answer` after `delayMs`; `refuse` before anything happened, as a busy upstream does; `drop` the connection after
   * the effect, so that nobody hears of it.
   */
  readonly manner: 'answer' | 'refuse' | 'drop';
  readonly delayMs: number;
}

/** What the ledger answers: the first receipt for an idempotency key, so that a repetition is told the same. */
export interface EffectAnswer {
  readonly receipt: number;
}

export interface HappenedRequest {
  readonly runId: string;
  readonly callId: string;
}

export interface HappenedAnswer {
  /** Receipts of all effects of the call, oldest first. */
  readonly receipts: readonly number[];
}

/** Reads the file of a ledger. A last line without its end is left out: its writer was stopped in the middle. */
export function readLedgerFile(path: string): readonly LedgerLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  // The file is written by `ledger.ts` alone, in this form.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as LedgerLine);
}
