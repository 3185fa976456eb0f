import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/call/call.ts';
import type { Failure } from '../../src/call/outcome.ts';
import { backOffMs } from '../../src/run/call-machine.ts';

const call: Call = {
  callId: '1.0',
  toolCallId: 'a',
  tool: 'look',
  toolVersion: 1,
  contractHash: 'h',
  input: {},
  terms: {
    effect: 'read',
    risk: 'low',
    irreversible: false,
    maxAttempts: 4,
    timeoutMs: 1_000,
    backoffBaseMs: 1_000,
    backoffCapMs: 10_000,
    canVerify: false,
    settleMs: 0,
    parallel: false,
  },
};
const failure: Failure = { code: 'upstream-unavailable', class: 'retryable', evidence: 'none', message: 'down' };

describe('the back-off between attempts (T2)', () => {
  it('has full jitter around 1, 2 and 4 seconds, capped at 10', () => {
    const middle = (attempt: number) => backOffMs(call, failure, { attempt, draw: 0.5 });
    expect([1, 2, 3, 4, 9].map(middle)).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, draw) => {
          const delay = backOffMs(call, failure, { attempt, draw });
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(10_000);
        },
      ),
    );
  });

  it('gives way to what the upstream asked for, and gives up beyond a day', () => {
    expect(backOffMs(call, { ...failure, retryAfterMs: 0 }, { attempt: 3, draw: 0.9 })).toBe(0);
    expect(backOffMs(call, { ...failure, retryAfterMs: 120_000 }, { attempt: 1, draw: 0.9 })).toBe(120_000);
    expect(backOffMs(call, { ...failure, retryAfterMs: 86_400_001 }, { attempt: 1, draw: 0.9 })).toBeUndefined();
  });
});
