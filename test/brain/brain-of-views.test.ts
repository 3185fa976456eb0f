import { expect, test } from 'vitest';
import { askBrain } from '../../src/brain/ask-brain.ts';
import type { Brain, BrainAnswer, BrainRequest } from '../../src/brain/brain.ts';
import { brainOfViews, type ConversationView, viewOf } from '../../src/brain/brain-of-views.ts';
import { createHandClock } from '../../src/testing/hand-clock.ts';
import { Transcript } from '../../src/run/transcript.ts';
import { Abort } from '../../src/util/abort.ts';

const said: BrainAnswer = {
  status: 'answered',
  parts: [{ kind: 'text', text: 'Yes.' }],
  finishReason: 'stop',
  usage: { inputTokens: 1, outputTokens: 1 },
};

const conversation = Transcript.empty.with({ kind: 'user', text: 'one' }).with({ kind: 'user', text: 'two' });

/** A brain that reads views, and those that it was handed. */
function reader(): { readonly brain: Brain; readonly views: ConversationView[] } {
  const views: ConversationView[] = [];
  const brain = brainOfViews('reader', async ({ view }) => {
    views.push(view);
    return said;
  });
  return { brain, views };
}

function ask(brain: Brain, view: ConversationView = conversation): Promise<BrainAnswer> {
  return askBrain({
    brain,
    request: { instructions: '', view, tools: [], settings: {} },
    timers: createHandClock(),
    timeoutMs: 1_000,
    abort: new Abort(),
  });
}

test('a brain that reads views is handed the view itself', async () => {
  const { brain, views } = reader();
  expect(await ask(brain)).toMatchObject({ status: 'answered' });
  expect(views).toEqual([conversation]);
  expect(views[0]).toBe(conversation);
});

test('every other brain is handed an array of its own, and changes nothing with it', async () => {
  const requests: BrainRequest[] = [];
  const brain: Brain = {
    id: 'plain',
    generate: async (request) => {
      requests.push(request);
      (request.items as unknown[]).reverse();
      return said;
    },
  };
  await ask(brain);
  await ask(brain);
  expect(requests[0]?.items).not.toBe(requests[1]?.items);
  expect(requests[1]?.items).toEqual(conversation.items().toReversed());
  expect(requests[0]).not.toHaveProperty('view');
});

test('what takes the place of the function of such a brain is asked, and what it hands on has no log', async () => {
  const { brain, views } = reader();
  const withoutFirst = (request: BrainRequest): Promise<BrainAnswer> =>
    brain.generate({ ...request, items: request.items.slice(1) });
  await ask({ ...brain, generate: withoutFirst });
  await ask({ id: 'wrapper', generate: withoutFirst });
  await ask(Object.create(brain, { generate: { value: withoutFirst } }) as Brain);
  expect(views.map((view) => [view.log, view.length, view.items()])).toEqual(
    Array.from({ length: 3 }, () => [undefined, 1, [{ kind: 'user', text: 'two' }]]),
  );
});

test('items of which nothing is known are no log', () => {
  const view = viewOf(conversation.items());
  expect(view.log).toBeUndefined();
  expect(view.items(1)).toEqual([{ kind: 'user', text: 'two' }]);
});
