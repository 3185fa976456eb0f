/** A conversation of Axle in the words of a recording, so that the two can be compared step by step. */
import { isDeepStrictEqual } from 'node:util';
import type { HistoryCall, ModelPart, TranscriptItem } from '../../../src/call/message.ts';
import type { RecordedStep } from './recording.ts';

/** The steps that a conversation consists of. What a recording cannot hold (a failed call, a notice) becomes a text of the runtime, equal to nothing. */
export function stepsOf(items: readonly TranscriptItem[]): readonly RecordedStep[] {
  return items.flatMap((item): readonly RecordedStep[] => {
    switch (item.kind) {
      case 'user':
        return [{ user: item.text }];
      case 'notice':
        return [{ user: `(the runtime says) ${item.text}` }];
      case 'assistant':
        return [{ assistant: saidBy(item.parts) }];
      case 'results':
        return item.results.map(({ toolCallId, toolName, outcome }) => ({
          tool: {
            id: toolCallId,
            name: toolName,
            content:
              outcome.status === 'succeeded' && typeof outcome.output === 'string'
                ? outcome.output
                : `(not an answer) ${JSON.stringify(outcome)}`,
          },
        }));
    }
  });
}

function saidBy(parts: readonly ModelPart[]): Extract<RecordedStep, { assistant: unknown }>['assistant'] {
  const said = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
  const calls = parts.flatMap((part) =>
    part.kind === 'call' ? [{ id: part.toolCallId, name: part.toolName, arguments: part.argumentsText }] : [],
  );
  return { ...(said === '' ? {} : { text: said }), ...(calls.length === 0 ? {} : { calls }) };
}

/** What tells two conversations apart, in words; undefined when they are equal. */
export function firstDifference(found: readonly RecordedStep[], wanted: readonly RecordedStep[]): string | undefined {
  for (const [index, step] of wanted.entries()) {
    const other = found[index];
    if (other === undefined) return `it ends after ${index} of ${wanted.length} steps`;
    if (!isDeepStrictEqual(other, step)) return `step ${index + 1} is ${shortly(other)} and was ${shortly(step)}`;
  }
  return found.length > wanted.length ? `it has ${found.length - wanted.length} steps more` : undefined;
}

function shortly(step: RecordedStep): string {
  return JSON.stringify(step).slice(0, 300);
}

/** The calls of a conversation with the input that the tools were given. */
export function inputsOf(items: readonly TranscriptItem[]): readonly HistoryCall[] {
  return items.flatMap((item) => (item.kind === 'assistant' ? item.calls : []));
}
