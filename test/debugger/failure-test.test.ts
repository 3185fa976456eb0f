/** What the keys `e` and `E` walk through and the strip draws in red, against what the filter `is:error` finds. */
import { expect, test } from 'vitest';
import { failureTest } from '../../debugger/src/table/failure-test.ts';
import { parseFilter } from '../../src/trace/filter/span-filter.ts';
import { matchRows } from '../../src/trace/filter/match-rows.ts';
import { SpanColumns } from '../../src/trace/table/span-columns.ts';
import { encodeSpanTable, type SpanKind, type SpanRow, spanStatuses } from '../../src/trace/table/span-table.ts';

const kinds: readonly SpanKind[] = ['run', 'step', 'call', 'attempt'];
const shapes = kinds.flatMap((kind) => spanStatuses.map((status) => ({ kind, status })));

function columnsOf(): SpanColumns {
  const rows = shapes.map(({ kind, status }, index): SpanRow => ({
    index,
    id: `span.${index}`,
    parent: index === 0 ? -1 : 0,
    kind,
    name: kind,
    status,
    start: index,
    duration: 1,
    step: 0,
    attempts: 0,
    inputTokens: 0,
    outputTokens: 0,
    markers: 0,
    seq0: index + 1,
  }));
  const columns = new SpanColumns();
  const head = { runId: 'run_1', since: 0, seq: rows.length, epoch: 1, startMs: 0, lastMs: 1_000, ended: true };
  expect(columns.apply(encodeSpanTable({ ...head, rowCount: rows.length }, rows)).kind).toBe('applied');
  return columns;
}

test('a failure is what the filter calls an error, and a doubt, in what did the work itself', () => {
  const columns = columnsOf();
  const parsed = parseFilter('status:error');
  if (parsed.kind === 'invalid') throw new Error(parsed.fault.message);
  const { hits } = matchRows(columns, parsed.filter);
  const isFailure = failureTest({ columns });
  const failures = shapes.filter((_, row) => isFailure(row));
  expect(failures).toEqual(
    shapes.filter(
      ({ kind, status }, row) => (hits[row] === 1 || status === 'in-doubt') && kind !== 'run' && kind !== 'step',
    ),
  );
  expect(failures.map(({ kind, status }) => `${kind} ${status}`)).toEqual(
    ['call', 'attempt'].flatMap((kind) => ['failed', 'refused', 'in-doubt', 'lost'].map((each) => `${kind} ${each}`)),
  );
});
