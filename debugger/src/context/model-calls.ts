/** The calls of the model in a run, as the table of spans has them. */
import { kindOf, type RunTable, statusOf } from '../table/run-table.ts';
import { ancestorsOf } from '../table/shown-rows.ts';

export interface ModelCall {
  readonly row: number;
  /** The entry that announced it, which names it. */
  readonly seq: number;
  readonly step: number;
  readonly attempt: number;
  readonly inputTokens: number;
  readonly status: string;
}

export function modelCallsOf(table: RunTable): readonly ModelCall[] {
  const { columns } = table;
  const attempt = columns.kinds.find('attempt');
  const calls: ModelCall[] = [];
  for (let row = 0; row < columns.rowCount; row += 1) {
    if (columns.kind[row] !== attempt || kindOf(table, columns.parent[row] ?? 0) !== 'model') continue;
    calls.push({
      row,
      seq: columns.seq0[row] ?? 0,
      step: columns.step[row] ?? 0,
      attempt: columns.attempts[row] ?? 1,
      inputTokens: columns.inputTokens[row] ?? 0,
      status: statusOf(table, row),
    });
  }
  return calls;
}

/** The call that a selected span belongs to: its own, or the last one of its step. */
export function callOfSpan(calls: readonly ModelCall[], table: RunTable, row: number): ModelCall | undefined {
  if (row < 0) return undefined;
  const own = new Set([row, ...ancestorsOf(row, table.columns)]);
  const step = table.columns.step[row];
  return (
    calls.findLast((call) => call.row === row) ??
    calls.findLast((call) => own.has(table.columns.parent[call.row] ?? -1) && call.step === step) ??
    calls.findLast((call) => call.step === step)
  );
}
