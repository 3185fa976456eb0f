import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RowTree } from '../../debugger/src/table/row-tree.ts';
import { ancestorsOf, isOpen, type Openness, shownRows, sortedRows } from '../../debugger/src/table/shown-rows.ts';
import { SpanColumns } from '../../src/trace/table/span-columns.ts';
import { encodeSpanTable, type SpanRow } from '../../src/trace/table/span-table.ts';

/** Rows that hang somewhere under the ones before them. */
const trees = fc
  .array(fc.nat(), { minLength: 1, maxLength: 60 })
  .map((seeds) => seeds.map((seed, index) => (index === 0 ? -1 : seed % index)));

function tableOf(parents: readonly number[], durations: readonly number[] = []) {
  const rows = parents.map((parent, index): SpanRow => ({
    index,
    id: `span.${index}`,
    parent,
    kind: parent < 0 ? 'run' : 'call',
    name: `name ${index % 7}`,
    status: 'ok',
    start: index,
    duration: durations[index] ?? 1,
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
  const tree = new RowTree();
  // In two steps, as a live run brings its rows.
  tree.grow({ parent: columns.parent, rowCount: Math.ceil(rows.length / 2) });
  tree.grow(columns);
  return { columns, tree };
}

const everything: Openness = { depth: Number.POSITIVE_INFINITY, byHand: new Map() };

describe('the rows that are shown', () => {
  test('with everything open are all rows, each once and below its parent', () => {
    fc.assert(
      fc.property(trees, (parents) => {
        const shown = Array.from(shownRows(tableOf(parents), everything));
        expect(shown.toSorted((a, b) => a - b)).toEqual(parents.map((_, row) => row));
        const places = new Map(shown.map((row, place) => [row, place]));
        for (const [row, parent] of parents.entries()) {
          if (parent >= 0) expect(places.get(parent)).toBeLessThan(places.get(row) ?? -1);
        }
      }),
    );
  });

  test('are never inside of a closed one, and leave out nothing else', () => {
    fc.assert(
      fc.property(
        trees,
        fc.nat(4),
        fc.array(fc.tuple(fc.nat(59), fc.boolean()), { maxLength: 8 }),
        (parents, depth, byHand) => {
          const table = tableOf(parents);
          const openness = { depth, byHand: new Map(byHand) };
          const shown = new Set(shownRows(table, openness));
          for (const row of parents.keys()) {
            const isUncovered = ancestorsOf(row, table.columns).every((above) => isOpen(openness, table.tree, above));
            expect(shown.has(row)).toBe(isUncovered);
          }
        },
      ),
    );
  });

  test('sorted by duration fall, and equal ones keep their order', () => {
    const table = tableOf([-1, 0, 0, 0, 0], [9, 2, 5, 2, -1]);
    expect(Array.from(sortedRows(table, { column: 'duration', isFalling: true }))).toEqual([4, 0, 2, 1, 3]);
    expect(Array.from(sortedRows(table, { column: 'duration', isFalling: false }, [1, 2, 3]))).toEqual([1, 3, 2]);
  });
});
