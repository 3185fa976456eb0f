import { expect, test } from 'vitest';
import {
  afterAnswer,
  afterFailure,
  fresh,
  mayStart,
  reconnectLimits,
  type RestartState,
} from '../../src/mcp/restart-policy.ts';

const limits = { maxFailures: 5, firstDelayMs: 100, maxDelayMs: 350, stableAfterMs: 1_000 };

function fail(times: number, livedMs: number): RestartState {
  let state = fresh;
  for (let count = 0; count < times; count += 1) state = afterFailure(state, { nowMs: 0, livedMs }, limits);
  return state;
}

test('a server that ran starts again at once, then after growing waits with a cap, then not at all', () => {
  const advice = [1, 2, 3, 4, 5].map((times) => mayStart(fail(times, 10), 0, limits));
  expect(advice).toEqual([
    { kind: 'start' },
    { kind: 'wait', forMs: 200 },
    { kind: 'wait', forMs: 350 },
    { kind: 'wait', forMs: 350 },
    { kind: 'given-up' },
  ]);
});

test('a server that did not even start is not tried again at once', () => {
  expect(mayStart(fail(1, 0), 0, limits)).toEqual({ kind: 'wait', forMs: 100 });
  expect(mayStart(fail(1, 0), 100, limits)).toEqual({ kind: 'start' });
});

test('a long life wipes out the failures before it', () => {
  const state = afterFailure(fail(4, 10), { nowMs: 0, livedMs: 1_000 }, limits);
  expect(state.failures).toBe(1);
  expect(mayStart(state, 0, limits)).toEqual({ kind: 'start' });
});

test('a clock that is set back does not make a wait longer than the longest', () => {
  const state = afterFailure(fail(1, 10), { nowMs: 1_000_000, livedMs: 10 }, limits);
  expect(mayStart(state, 0, limits)).toEqual({ kind: 'wait', forMs: 350 });
});

test('an answered call wipes out the failures before it: a server that answers can run', () => {
  expect(afterAnswer(fail(4, 10))).toBe(fresh);
});

test('a server on the network is never given up, only waited for', () => {
  expect(mayStart(fail(1_000, 0), 0, reconnectLimits)).toMatchObject({ kind: 'wait' });
});
