import { describe, expect, test } from 'vitest';
import { spanDetail, type SpanDetail } from '../../src/inspect/span-detail.ts';
import type { Append } from '../../src/journal/entry.ts';
import { SpanTableBuilder } from '../../src/trace/table/table-builder.ts';
import { seededRun } from '../trace/seeded-run.ts';
import { travelJournal } from '../trace/travel-journal.ts';

function detailOf(appends: readonly Append[], id: string): SpanDetail | undefined {
  const builder = new SpanTableBuilder();
  for (const append of appends) builder.take(append);
  return spanDetail(builder, appends, id);
}

function typesOf(id: string): readonly string[] {
  return detailOf(travelJournal(), id)?.entries.map(({ entry }) => entry.type) ?? [];
}

describe('the detail of a span', () => {
  test('of a call has its words, its decision, its outcome, its key and every entry about it', () => {
    const detail = detailOf(travelJournal(), 'call.2.0');
    expect(detail?.span).toMatchObject({ kind: 'call', tool: 'send_mail', outcome: { status: 'succeeded' } });
    expect(detail?.idempotencyKey).toMatch(/^[\w-]{43}$/u);
    expect(detail?.children.map((row) => row.kind)).toEqual(['wait-approval', 'attempt', 'doubt']);
    expect(typesOf('call.2.0')).toEqual([
      'call-bound',
      'call-decided',
      'approval-answered',
      'attempt-started',
      'call-doubted',
      'verify-started',
      'verify-finished',
      'call-resolved',
      'call-settled',
    ]);
  });

  test.each([
    ['call.2.0?', ['call-decided', 'approval-answered']],
    ['call.2.0#1', ['attempt-started']],
    ['call.2.0#1?', ['call-doubted', 'verify-started', 'verify-finished', 'call-resolved']],
    ['call.1.0#2', ['attempt-started', 'attempt-finished']],
    ['model.1', ['model-started', 'model-finished']],
    ['model.1#1', ['model-started', 'model-finished']],
  ])('%s has the entries that it is made of', (id, types) => {
    expect(typesOf(id)).toEqual(types);
  });

  test('of a read has no key, and of what there is not is none', () => {
    expect(detailOf(travelJournal(), 'call.1.0')?.idempotencyKey).toBeUndefined();
    expect(detailOf(travelJournal(), 'call.9.9')).toBeUndefined();
  });

  test('the run and its steps have all entries of the run among them, each once', () => {
    const appends = seededRun({ seed: 8, spans: 150, crashes: 0.2, failures: 0.3 });
    const builder = new SpanTableBuilder();
    for (const append of appends) builder.take(append);
    const { id: ids } = builder.table();
    const frames = ids.filter((id) => id === 'run' || id.startsWith('step.'));
    const seqs = frames.flatMap((id) => spanDetail(builder, appends, id)?.entries.map(({ seq }) => seq) ?? []);
    const all = appends.flatMap((append) => append.entries.map((_, index) => append.firstSeq + index));
    expect(seqs.toSorted((left, right) => left - right)).toEqual(all);
    for (const id of ids) expect(spanDetail(builder, appends, id)?.entries.length).toBeGreaterThan(0);
  });
});
