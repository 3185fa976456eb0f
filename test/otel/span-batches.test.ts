import { describe, expect, test } from 'vitest';
import { SpanBatches } from '../../src/otel/span-batches.ts';
import { SpanIds } from '../../src/otel/span-id.ts';

function spansOf(batches: SpanBatches): readonly string[] {
  batches.seal();
  const found: string[] = [];
  for (let batch = batches.take(); batch !== undefined; batch = batches.take()) {
    const spans = JSON.parse(batch.body.toString()) as string[];
    expect(spans).toHaveLength(batch.count);
    found.push(...spans);
    batches.giveBack(batch);
  }
  return found;
}

describe('spans that wait for a collector', () => {
  test('come out in order, in batches that are JSON, whatever their size and their letters', () => {
    const batches = new SpanBatches({ before: '[', after: ']' });
    const texts = Array.from({ length: 700 }, (_, index) => `${index} ä 漢 🚀 ${'x'.repeat((index * 37) % 3_000)}`);
    // Larger than a batch.
    texts.splice(300, 0, 'y'.repeat(600_000));
    for (const text of texts) expect(batches.add(JSON.stringify(text))).toBe(0);
    expect(spansOf(batches)).toEqual(texts);
    expect(spansOf(batches)).toEqual([]);
    // What is written into a buffer that has been given back is a batch like the first one.
    for (const text of texts.slice(0, 100)) batches.add(JSON.stringify(text));
    expect(spansOf(batches)).toEqual(texts.slice(0, 100));
  });

  test('are bounded: the oldest go, and are counted', () => {
    const batches = new SpanBatches({ before: '[', after: ']' });
    let gone = 0;
    for (let index = 0; index < 30_000; index += 1) gone += batches.add(String(index));
    const kept = spansOf(batches);
    expect(gone + kept.length).toBe(30_000);
    expect(kept.length).toBeGreaterThan(20_000);
    expect(kept.length).toBeLessThan(21_500);
    expect(kept[0]).toBe(gone);
  });
});

test('ids of spans are 16 digits, the same for the same span, and no two of a million are', () => {
  const seen = new Set<string>();
  for (let run = 0; run < 1_000; run += 1) {
    const ids = new SpanIds(`run_01jd${run}`);
    for (let step = 0; step < 500; step += 1) seen.add(ids.of(`call.${step}.0`)).add(ids.of(`call.${step}.0#1`));
  }
  expect(seen.size).toBe(1_000_000);
  expect(new SpanIds('run_a').of('call.1.0')).toBe(new SpanIds('run_a').of('call.1.0'));
  for (const id of [...seen].slice(0, 100)) expect(id).toMatch(/^[0-9a-f]{16}$/u);
});
