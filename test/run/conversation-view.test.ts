import { expect, test } from 'vitest';
import { agent, createAxle } from '../../src/axle.ts';
import type { BrainAnswer } from '../../src/brain/brain.ts';
import { brainOfViews, type ConversationView } from '../../src/brain/brain-of-views.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { Ledger, ledgerTool } from './world.ts';

const turns = 12;

function answerOf(turn: number): BrainAnswer {
  return {
    status: 'answered',
    parts:
      turn < turns
        ? [{ kind: 'call', toolCallId: `call_${turn}`, toolName: 'look', argumentsText: '{}' }]
        : [{ kind: 'text', text: 'Done.' }],
    finishReason: turn < turns ? 'tool-calls' : 'stop',
    usage: { inputTokens: 1, outputTokens: 1 },
  };
}

test('a run hands a brain that reads views the same log at every turn, two items longer', async () => {
  const views: ConversationView[] = [];
  const brain = brainOfViews('reader', async ({ view }) => answerOf(views.push(view) - 1));
  const reader = agent({ name: 'reader', model: brain, tools: ['look'], budget: { steps: turns + 1 } });
  const look = ledgerTool(new Ledger(), 'look', { effect: 'read' });
  await using axle = await createAxle({ store: createMemoryStore(), tools: [look], agents: [reader] });
  const result = await (await axle.start('reader', { input: 'Look often.' })).result();
  expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
  expect(views[0]?.log).toBeTypeOf('symbol');
  expect(new Set(views.map(({ log }) => log)).size).toBe(1);
  expect(views.map(({ length }) => length)).toEqual(Array.from({ length: turns + 1 }, (_, turn) => 1 + 2 * turn));
  // Each of them is what it was when it was handed out.
  const last = views.at(-1)?.items() ?? [];
  for (const view of views) expect(view.items()).toEqual(last.slice(0, view.length));
});
