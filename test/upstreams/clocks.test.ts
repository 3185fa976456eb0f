/** Clocks that jump: nobody waits longer for them, and an upstream sees one burst more at most. */
import { expect, test } from 'vitest';
import { withDefaults } from '../../src/contract/upstream-settings.ts';
import { newState } from '../../src/execute/upstreams/kept-state.ts';
import { Upstream } from '../../src/execute/upstreams/upstream.ts';
import type { Admission } from '../../src/execute/upstreams/upstreams.ts';
import { createHandClock } from '../../src/testing.ts';

function opened(settings: Parameters<typeof withDefaults>[0]) {
  const hand = createHandClock();
  const clock = { skewMs: 0, nowMs: () => hand.nowMs() + clock.skewMs };
  const upstream = new Upstream({
    name: 'bank',
    settings: withDefaults({ maxWaitMs: 0, ...settings }),
    state: newState(clock.nowMs()),
    wasUsed: false,
    keptOrder: 0,
    clock,
    timers: hand,
    writer: 'worker',
  });
  const ask = async (): Promise<Admission> => {
    const { signal } = new AbortController();
    const admission = upstream.admit({ upstream: 'bank', runId: 'r', callId: '1.0', attempt: 1, timeoutMs: 1, signal });
    await hand.advance(0);
    return admission;
  };
  return { upstream, clock, hand, ask };
}

test('set back by an hour, an open breaker is open for as long as it ever is, and no longer', async () => {
  const breaker = { windowMs: 60_000, minimumCalls: 10, failureRatio: 0.5, consecutiveFailures: 1, openForMs: 30_000 };
  const { upstream, clock, hand, ask } = opened({ breaker });
  const first = await ask();
  if (first.kind === 'admitted') upstream.release(first.permit, { kind: 'failed' });
  clock.skewMs = -3_600_000;
  expect(await ask()).toMatchObject({ failure: { code: 'upstream-open', retryAfterMs: 30_000 } });
  await hand.advance(30_000);
  expect(await ask()).toMatchObject({ kind: 'admitted', permit: { isProbe: true } });
});

test('set back by an hour, what the upstream asked for is waited for as long as it asked, and no longer', async () => {
  const { upstream, clock, hand, ask } = opened({});
  const first = await ask();
  if (first.kind === 'admitted') upstream.release(first.permit, { kind: 'unknown', retryAfterMs: 20_000 });
  clock.skewMs = -3_600_000;
  expect(await ask()).toMatchObject({ failure: { retryAfterMs: 20_000 } });
  await hand.advance(20_000);
  expect(await ask()).toMatchObject({ kind: 'admitted' });
});

test('set back and forward again, a bucket brings a burst and no more', async () => {
  const { clock, hand, ask } = opened({ rate: { calls: 10, perMs: 1_000 }, burst: 2 });
  const admitted = async (): Promise<number> => {
    let count = 0;
    while ((await ask()).kind === 'admitted') count += 1;
    return count;
  };
  expect(await admitted()).toBe(2);
  clock.skewMs = -60_000;
  expect(await admitted()).toBe(0);
  clock.skewMs = 0;
  expect(await admitted()).toBe(2);
  await hand.advance(100);
  expect(await admitted()).toBe(1);
});
