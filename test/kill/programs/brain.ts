/** The scripted brain: what it says next is a function of the conversation, so it needs nothing that a kill could take. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Brain, BrainAnswer } from '../../../src/axle.ts';
import { inputOf, scenarioOf, turnsOf } from './scenario.ts';

export function scriptedBrain(random: () => number): Brain {
  return {
    id: 'scripted',
    generate: async ({ items }): Promise<BrainAnswer> => {
      await sleep(random() * 4);
      if (random() < 0.03) {
        return {
          status: 'failed',
          failure: {
            code: 'model-unavailable',
            class: 'retryable',
            message: 'The model is busy.',
            evidence: 'unknown',
            retryAfterMs: 3,
          },
        };
      }
      const [first] = items;
      const scenario = scenarioOf(first?.kind === 'user' ? first.text : inputOf({ seed: 0, turns: 0 }));
      const turn = items.filter((item) => item.kind === 'assistant').length;
      const planned = turnsOf(scenario)[turn];
      const usage = { inputTokens: items.length, outputTokens: 1 };
      if (planned === undefined) {
        return { status: 'answered', parts: [{ kind: 'text', text: 'done' }], finishReason: 'stop', usage };
      }
      const parts = planned.map(
        ({ tool, text }, place) =>
          ({
            kind: 'call',
            toolCallId: `${turn}-${place}`,
            toolName: tool,
            argumentsText: JSON.stringify({ text }),
          }) as const,
      );
      return { status: 'answered', parts, finishReason: 'tool-calls', usage };
    },
  };
}
