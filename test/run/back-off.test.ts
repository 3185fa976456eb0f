import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/call/outcome.ts';
import { backOffMs } from '../../src/run/back-off.ts';

const backOff = { baseMs: 1_000, capMs: 10_000 };
const failure: Failure = { code: 'upstream-unavailable', class: 'retryable', evidence: 'none', message: 'down' };

describe('the back-off between attempts (T2)', () => {
  it('has full jitter around 1, 2 and 4 seconds, capped at 10', () => {
    const middle = (attempt: number) => backOffMs(backOff, failure, { attempt, draw: 0.5 });
    expect([1, 2, 3, 4, 9].map(middle)).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, draw) => {
          const delay = backOffMs(backOff, failure, { attempt, draw });
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(10_000);
        },
      ),
    );
  });

  it('gives way to what the upstream asked for, and gives up beyond a day', () => {
    expect(backOffMs(backOff, { ...failure, retryAfterMs: 0 }, { attempt: 3, draw: 0.9 })).toBe(0);
    expect(backOffMs(backOff, { ...failure, retryAfterMs: 120_000 }, { attempt: 1, draw: 0.9 })).toBe(120_000);
    expect(backOffMs(backOff, { ...failure, retryAfterMs: 86_400_001 }, { attempt: 1, draw: 0.9 })).toBeUndefined();
  });
});
