import { expect, test } from 'vitest';
import { askBrain } from '../../src/brain/ask-brain.ts';
import type { Brain } from '../../src/brain/brain.ts';
import { viewOf } from '../../src/brain/brain-of-views.ts';
import { createHandClock } from '../../src/testing/hand-clock.ts';
import { AxleError } from '../../src/error/axle-error.ts';
import { Abort } from '../../src/util/abort.ts';

const request = { instructions: '', view: viewOf([]), tools: [], settings: {} };

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

async function answerOfThrower(thrown: unknown) {
  const brain: Brain = {
    id: 'broken',
    generate: () => {
      throw thrown;
    },
  };
  const answer = await askBrain({ brain, request, timers: createHandClock(), timeoutMs: 1_000, abort: new Abort() });
  if (answer.status !== 'failed') throw new Error('The model answered.');
  return answer.failure;
}

test('what a brain throws is told as its own mistake, with keys masked and cut', async () => {
  expect(await answerOfThrower(new TypeError('x is not a function'))).toMatchObject({
    code: 'model-threw',
    class: 'retryable',
    message: 'The model object threw TypeError: x is not a function',
  });
  const long = await answerOfThrower(new Error(`sk-0123456789abcdef ${'y'.repeat(100_000)}`));
  expect(long.message).toContain('threw Error: [key] yyy');
  expect(long.message.length).toBeLessThanOrEqual(2_000);
});

test('what cannot be looked at is a failure too', async () => {
  const untouchable = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no');
      },
    },
  );
  expect(await answerOfThrower(untouchable)).toMatchObject({ code: 'model-threw' });
  expect(await answerOfThrower(undefined)).toMatchObject({ message: 'The model object threw undefined' });
});

test('an error with a code keeps it', async () => {
  const error = new AxleError('upstream-open', 'It rests.', { remedy: 'Wait.' });
  expect(await answerOfThrower(error)).toMatchObject({ code: 'upstream-open', message: 'It rests.', advice: 'Wait.' });
});
