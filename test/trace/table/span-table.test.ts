import { describe, expect, test } from 'vitest';
import type { Append } from '../../../src/journal/entry.ts';
import { SpanColumns } from '../../../src/trace/table/span-columns.ts';
import { markerBit, markersIn, type SpanRow } from '../../../src/trace/table/span-table.ts';
import { spanTableOf, SpanTableBuilder } from '../../../src/trace/table/table-builder.ts';
import { traceOf } from '../../../src/trace/trace-of.ts';
import {
  accepted,
  allowed,
  answered,
  asks,
  bound,
  failedAttempt,
  JournalWriter,
  modelStarted,
  overloaded,
  started,
} from '../journal-writer.ts';
import { travelJournal } from '../travel-journal.ts';

const journal = travelJournal();

function rowsOf(columns: SpanColumns): readonly SpanRow[] {
  return Array.from({ length: columns.rowCount }, (_, index) => columns.row(index)).filter((row) => row !== undefined);
}

function columnsOf(appends: readonly Append[]): SpanColumns {
  const columns = new SpanColumns();
  expect(columns.apply(spanTableOf(appends)).kind).toBe('applied');
  return columns;
}

function rowOf(id: string): SpanRow | undefined {
  const columns = columnsOf(journal);
  return columns.row(columns.indexOf(id));
}

describe('the table of a run', () => {
  test('has the run, its steps, and every span of its trace, once, below its parent', () => {
    const rows = rowsOf(columnsOf(journal));
    const ids = rows.map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    const spanIds = allIds(traceOf(journal).parts);
    expect(ids.filter((id) => id !== 'run' && !id.startsWith('step.')).toSorted()).toEqual(spanIds.toSorted());
    expect(rows[0]).toMatchObject({ id: 'run', parent: -1, kind: 'run', name: 'travel', status: 'ok' });
    for (const row of rows.slice(1)) expect(row.parent).toBeLessThan(row.index);
  });

  test('says at a glance what became of a call: a retry, a doubt that was settled, an approval', () => {
    const calls = rowsOf(columnsOf(journal)).filter((row) => row.kind === 'call');
    expect(calls.map((row) => ({ ...row, markers: markersIn(row.markers) }))).toMatchObject([
      { name: 'get_weather', status: 'ok', attempts: 2, markers: ['retry', 'repaired'] },
      { name: 'send_mail', status: 'ok', attempts: 1, markers: ['crash-gap', 'in-doubt', 'approval'] },
    ]);
  });

  test('says why something failed: the first line, cut', () => {
    const rows = rowsOf(columnsOf(journal)).filter((row) => row.error !== undefined);
    expect(rows).toMatchObject([
      { kind: 'attempt', error: 'upstream-unavailable', reason: 'The weather service answered 503.' },
    ]);
    const failing = new JournalWriter()
      .at(0, accepted('Look.'), modelStarted(1, 1))
      .at(10, answered(asks('t1.0', 'get_weather', '{}')), bound('1.0', 'get_weather', {}), allowed('1.0'))
      .at(20, started('1.0'))
      .at(30, failedAttempt('1.0', { ...overloaded, message: `${'x'.repeat(300)}\nand more` }));
    const [reason = ''] = rowsOf(columnsOf(failing.appends())).flatMap((row) => row.reason ?? []);
    expect(reason).toMatch(/^x+… \(\d+ characters left out\)$/u);
    expect(reason.length).toBeLessThanOrEqual(160);
  });

  test('tells a login that was refused from one that was given', () => {
    const journal = new JournalWriter()
      .at(0, accepted('Look.'), modelStarted(1, 1))
      .at(10, answered(asks('t1.0', 'get_weather', '{}')), bound('1.0', 'get_weather', {}), allowed('1.0'));
    const refused = { ...overloaded, code: 'authorization-required' } as const;
    const about = { callId: '1.0', authorizationId: 'run/weather' } as const;
    for (const [place, granted] of [true, false].entries()) {
      const [attempt, atMs] = [place + 1, 100 * (place + 1)];
      journal
        .at(atMs, started('1.0', attempt))
        .at(atMs + 10, failedAttempt('1.0', refused, attempt))
        .at(atMs + 20, { type: 'authorization-requested', ...about, upstream: 'weather', expiresAtMs: 9_000 })
        .at(atMs + 90, { type: 'authorization-answered', ...about, granted });
    }
    const waits = rowsOf(columnsOf(journal.appends())).filter((row) => row.kind === 'wait-authorization');
    expect(waits).toMatchObject([
      { name: 'weather', status: 'ok' },
      { name: 'weather', status: 'denied', error: 'authorization-denied' },
    ]);
  });

  test('a row of the run counts its tokens, and a step those of its model', () => {
    const { totals } = traceOf(journal);
    expect(rowOf('run')).toMatchObject({ inputTokens: totals.inputTokens, outputTokens: totals.outputTokens });
    expect(rowOf('step.1')).toMatchObject({ inputTokens: 800, outputTokens: 40 });
  });
});

describe('tables that follow a run', () => {
  test('give, applied one after another, what the whole table gives, after every append and from every entry on', () => {
    for (let from = 1; from <= journal.length; from += 1) {
      const builder = new SpanTableBuilder();
      const columns = new SpanColumns();
      journal.forEach((append, index) => {
        builder.take(append);
        if (index + 1 < from) return;
        expect(columns.apply(builder.table({ since: columns.seq })).kind).toBe('applied');
        expect(rowsOf(columns)).toEqual(rowsOf(columnsOf(journal.slice(0, index + 1))));
      });
    }
  });

  test('hold only what began or changed', () => {
    const builder = new SpanTableBuilder();
    for (const append of journal) builder.take(append);
    const whole = builder.table();
    expect(builder.table({ since: whole.seq }).index).toEqual([]);
    const last = journal.at(-1);
    const tail = builder.table({ since: (last?.firstSeq ?? 0) - 1 });
    expect(tail.index.length).toBeLessThan(whole.index.length);
    expect(tail.rowCount).toBe(whole.rowCount);
  });

  test('that do not fit are refused and change nothing', () => {
    const columns = new SpanColumns();
    const builder = new SpanTableBuilder();
    for (const append of journal.slice(0, 4)) builder.take(append);
    const early = builder.table();
    const { seq } = early;
    for (const append of journal.slice(4)) builder.take(append);
    expect(columns.apply(builder.table({ since: seq }))).toEqual({ kind: 'unfit', reason: 'gap' });
    expect(columns.rowCount).toBe(0);
    columns.apply(early);
    expect(columns.apply({ ...builder.table(), runId: 'another' })).toEqual({ kind: 'unfit', reason: 'run' });
    const newer: unknown = { ...builder.table(), version: 2 };
    expect(columns.apply(newer as typeof early)).toEqual({ kind: 'unfit', reason: 'version' });
    expect(columns.seq).toBe(seq);
    columns.apply(builder.table({ since: seq }));
    expect(columns.apply(early)).toEqual({ kind: 'applied', changed: [] });
    expect(rowsOf(columns)).toEqual(rowsOf(columnsOf(journal)));
  });

  test('mark the calls that another run took back', () => {
    const builder = new SpanTableBuilder();
    for (const append of journal) builder.take(append);
    const table = builder.table({ since: builder.head.seq, takenBack: [{ runId: 'run_9', callIds: ['1.0'] }] });
    expect(table.id).toEqual(['call.1.0']);
    expect((table.markers[0] ?? 0) & markerBit('undone')).not.toBe(0);
  });
});

function allIds(parts: readonly { readonly id: string; readonly kind: string }[]): readonly string[] {
  return parts.flatMap((part) => [part.id, ...('children' in part ? allIds(part.children as typeof parts) : [])]);
}
