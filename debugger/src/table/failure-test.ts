/** Which rows are failures, for the keys that walk from one to the next and for the strip that shows where they are. */
import { errorStatuses } from '../../../src/trace/table/span-table.ts';
import type { RunTable } from './run-table.ts';

/** What a filter calls an error, and what nobody knows the end of. */
const failures: ReadonlySet<string> = new Set([...errorStatuses, 'in-doubt']);

/** What went wrong by itself: a run or a step that failed because of what is in it does not count. */
export function failureTest({ columns }: Pick<RunTable, 'columns'>): (row: number) => boolean {
  const bad = columns.statuses.all.map((status) => failures.has(status));
  const holds = columns.kinds.all.map((kind) => kind === 'run' || kind === 'step');
  return (row) => bad[columns.status[row] ?? 0] === true && holds[columns.kind[row] ?? 0] !== true;
}
