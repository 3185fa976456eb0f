/**
 * The recorded model: it says its n-th turn when it is shown exactly what the model was shown then, and nothing otherwise.
 * It has no memory, so it is the same model after every crash.
 */
import type { Brain } from '../../../src/axle.ts';
import type { ModelPart } from '../../../src/call/message.ts';
import type { AirlineDesk } from './desk.ts';
import { firstDifference, stepsOf } from './recorded-steps.ts';
import type { RecordedStep } from './recording.ts';

/** The model of the desk's recording. A conversation that is not the recorded one is noted as a fault. */
export function recordedBrain(desk: AirlineDesk): Brain {
  const { id, steps } = desk.recording;
  return {
    id: `recorded/${id}`,
    generate: async ({ items }) => {
      const shown = stepsOf(items);
      const next = steps[shown.length];
      const difference = firstDifference(shown, steps.slice(0, shown.length));
      if (difference !== undefined || next === undefined || !('assistant' in next)) {
        const message = `The model of ${id} was shown what the recording does not have: ${difference ?? `it is not its turn at step ${shown.length + 1}`}.`;
        desk.note(message);
        return { status: 'failed', failure: { code: 'model-unavailable', class: 'fatal', message, evidence: 'none' } };
      }
      const parts = partsOf(next);
      const finishReason = parts.some(({ kind }) => kind === 'call') ? 'tool-calls' : 'stop';
      return { status: 'answered', parts, finishReason, usage: {} };
    },
  };
}

function partsOf({ assistant }: Extract<RecordedStep, { assistant: unknown }>): readonly ModelPart[] {
  const words: readonly ModelPart[] = assistant.text === undefined ? [] : [{ kind: 'text', text: assistant.text }];
  const calls = (assistant.calls ?? []).map((call): ModelPart => ({
    kind: 'call',
    toolCallId: call.id,
    toolName: call.name,
    argumentsText: call.arguments,
  }));
  return [...words, ...calls];
}
