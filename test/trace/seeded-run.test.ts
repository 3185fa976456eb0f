import { describe, expect, test } from 'vitest';
import { SpanColumns } from '../../src/trace/table/span-columns.ts';
import { spanTableOf, SpanTableBuilder } from '../../src/trace/table/table-builder.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import { seededRun, type SeededRunOptions } from './seeded-run.ts';

const shapes: readonly (readonly [string, SeededRunOptions])[] = [
  ['small', { seed: 1, spans: 10 }],
  ['long', { seed: 2, spans: 3_000 }],
  ['wide', { seed: 3, spans: 3_000, width: 100 }],
  ['crashed', { seed: 4, spans: 1_000, crashes: 0.3, failures: 0.4 }],
  ['hostile', { seed: 5, spans: 500, isHostile: true }],
  ['unfinished', { seed: 6, spans: 300, isUnfinished: true }],
  ['with a large body', { seed: 7, spans: 200, bodyLength: 100_000 }],
];

describe('the table of a seeded run', () => {
  test.each(shapes)('%s: has every span of its trace once, and is the same append by append', (_, options) => {
    const appends = seededRun(options);
    expect(appends).toEqual(seededRun(options));
    const columns = new SpanColumns();
    const builder = new SpanTableBuilder();
    let answered = 0;
    for (const append of appends) {
      builder.take(append);
      const table = builder.table({ since: columns.seq });
      answered += table.index.length;
      expect(columns.apply(table).kind).toBe('applied');
    }
    const whole = new SpanColumns();
    whole.apply(spanTableOf(appends));
    expect(columns.rowCount).toBe(whole.rowCount);
    for (let index = 0; index < whole.rowCount; index += 1) expect(columns.row(index)).toEqual(whole.row(index));
    const spanIds = allIds(traceOf(appends).parts);
    expect(columns.ids.filter((id) => id !== 'run' && !id.startsWith('step.')).toSorted()).toEqual(spanIds.toSorted());
    expect(columns.rowCount).toBeGreaterThanOrEqual(options.spans);
    // What an append changes is a few rows, however long the run is.
    expect(answered / appends.length).toBeLessThan(12);
    expect(columns.ended).toBe(options.isUnfinished !== true);
    expect(columns.row(0)?.status).toBe(options.isUnfinished === true ? 'open' : 'ok');
  });
});

function allIds(parts: readonly { readonly id: string; readonly kind: string }[]): readonly string[] {
  return parts.flatMap((part) => [part.id, ...('children' in part ? allIds(part.children as typeof parts) : [])]);
}
