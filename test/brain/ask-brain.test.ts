import { expect, test } from 'vitest';
import { askBrain } from '../../src/brain/ask-brain.ts';
import type { Brain } from '../../src/brain/brain.ts';
import { createHandClock } from '../../src/testing/hand-clock.ts';
import { Abort } from '../../src/util/abort.ts';

const request = { instructions: '', items: [], tools: [], settings: {} };

/** A model that never answers, whatever happens to its signal. */
function deafBrain(onAsked: () => void): Brain {
  return {
    id: 'deaf',
    generate: () => {
      onAsked();
      return new Promise<never>(() => {});
    },
  };
}

test('an abort ends the wait for a model that does not listen', async () => {
  const abort = new Abort();
  const brain = deafBrain(() => queueMicrotask(() => abort.abort(new Error('enough'))));
  const answer = await askBrain({
    brain,
    request,
    timers: createHandClock(),
    timeoutMs: 1_000,
    abort,
  });
  expect(answer).toMatchObject({ status: 'failed', failure: { code: 'call-cancelled' } });
});

test('the time limit ends it too', async () => {
  const clock = createHandClock();
  const brain = deafBrain(() => void clock.advance(1_000));
  const abort = new Abort();
  const answer = await askBrain({ brain, request, timers: clock, timeoutMs: 1_000, abort });
  expect(answer).toMatchObject({ status: 'failed', failure: { code: 'model-unavailable' } });
});
