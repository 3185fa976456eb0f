import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  grownEnd,
  parseZoom,
  type Span,
  ticksOf,
  timeScale,
  within,
  writeZoom,
  zoomed,
} from '../../debugger/src/table/time-scale.ts';

const whole: Span = { fromMs: 0, toMs: 10_000 };

/** Gaps apart from each other, in order. */
const gaps = fc
  .uniqueArray(fc.integer({ min: 0, max: 10_000 }), { maxLength: 8 })
  .map((edges) => edges.toSorted((a, b) => a - b))
  .map((edges) =>
    edges.flatMap((fromMs, index) => {
      const toMs = edges[index + 1];
      return index % 2 === 0 && toMs !== undefined ? [{ fromMs, toMs }] : [];
    }),
  );

describe('the scale of time', () => {
  test('never runs backwards, from 0 to 1 over what is shown (A1)', () => {
    fc.assert(
      fc.property(gaps, fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 2 }), (leftOut, times) => {
        const scale = timeScale(whole, leftOut);
        expect(scale.toPlace(0)).toBeCloseTo(0);
        expect(scale.toPlace(10_000)).toBeCloseTo(1);
        const places = times.toSorted((a, b) => a - b).map(scale.toPlace);
        for (const [index, place] of places.entries()) {
          expect(place).toBeGreaterThanOrEqual((places[index - 1] ?? 0) - 1e-9);
        }
      }),
    );
  });

  test('goes back to the time that it came from (A3)', () => {
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 9_999 }), (leftOut, ms) => {
        const scale = timeScale(whole, leftOut);
        expect(scale.toMs(scale.toPlace(ms))).toBeCloseTo(ms, 3);
      }),
    );
  });

  test('gives a gap that is left out a narrow place, and the rest to work (A2)', () => {
    const scale = timeScale(whole, [{ fromMs: 1_000, toMs: 9_000 }]);
    expect(scale.toPlace(9_000) - scale.toPlace(1_000)).toBeCloseTo(0.02);
    expect(scale.toPlace(1_000)).toBeCloseTo(0.49);
  });

  test('stands where all of it is idle', () => {
    const scale = timeScale(whole, [whole]);
    expect([scale.toPlace(0), scale.toPlace(5_000), scale.toPlace(10_000)]).toEqual([0, 0.5, 1]);
  });
});

describe('zooming', () => {
  test('keeps the time under the pointer where it is, and goes back to the whole', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 9_900 }), fc.integer({ min: 1, max: 6 }), (aroundMs, times) => {
        let shown = whole;
        for (let count = 0; count < times; count += 1) shown = zoomed(shown, whole, { factor: 0.5, aroundMs }) ?? whole;
        const place = (aroundMs - shown.fromMs) / (shown.toMs - shown.fromMs);
        expect(place).toBeCloseTo(aroundMs / 10_000, 5);
        let back: Span | undefined = shown;
        for (let count = 0; count < times; count += 1) back = back && zoomed(back, whole, { factor: 2, aroundMs });
        expect(back).toBeUndefined();
      }),
    );
  });

  test('never leaves the run', () => {
    expect(within({ fromMs: -500, toMs: 500 }, whole)).toEqual({ fromMs: 0, toMs: 1_000 });
    expect(within({ fromMs: 9_800, toMs: 10_800 }, whole)).toEqual({ fromMs: 9_000, toMs: 10_000 });
    expect(within({ fromMs: -1, toMs: 10_001 }, whole)).toBeUndefined();
  });

  test('is written into an address and read from it', () => {
    const shown = { fromMs: 12.5, toMs: 99.125 };
    expect(parseZoom(writeZoom(shown))).toEqual(shown);
    for (const text of ['', '5', '5..', '9..3', 'a..b', '1..2..3', '..', undefined]) {
      expect(parseZoom(text)).toBeUndefined();
    }
  });
});

describe('ticks', () => {
  test('are round, no more than asked for, and none in a gap that is left out', () => {
    fc.assert(
      fc.property(gaps, fc.integer({ min: 2, max: 12 }), (leftOut, most) => {
        const scale = timeScale(whole, leftOut);
        const { ticks, stepMs } = ticksOf(scale, most);
        // Each stretch of work may bring one more than its share.
        expect(ticks.length).toBeLessThanOrEqual(2 * most + 1);
        for (const { ms } of ticks) {
          expect(ms % stepMs).toBe(0);
          for (const { fromMs, toMs } of scale.gaps) expect(ms > fromMs && ms < toMs).toBe(false);
        }
      }),
    );
  });

  test('of a live axis stand still until the time reaches its end', () => {
    expect([100, 101, 118, 123].map(grownEnd)).toEqual([125, 125, 125, 125]);
    expect(grownEnd(124.9)).toBe(150);
    expect(grownEnd(0)).toBe(1);
  });
});
