/** A model for tests: what it says is a function of what it is shown, so it works across processes, crashes and resumes. */
import type { Brain, BrainAnswer, BrainRequest } from '../brain/brain.ts';
import type { ModelPart, TranscriptItem } from '../call/message.ts';
import { type Pieces, sayInPieces } from './say-in-pieces.ts';

/** One call as a script writes it. */
export interface ScriptedCall {
  /** @defaultValue `call_<turn>_<place>` */
  readonly id?: string;
  readonly name: string;
  /** An object, or the text itself when a script wants to send something broken. */
  readonly input: unknown;
}

/** One turn of a script: a text is an answer; calls make the run go on; anything else is handed on as it is. */
export type ScriptedTurn = string | { readonly text?: string; readonly calls: readonly ScriptedCall[] } | BrainAnswer;

export interface ScriptedBrainOptions extends Pieces {
  /** Names the model. @defaultValue 'script/one' */
  readonly id?: string;
}

/**
 * A brain that says its turns one after another: the n-th turn is said when the conversation holds n-1 turns of its own.
 *
 * With `pieceChars` it says each of them in pieces, as a model that streams does.
 *
 * @example
 * ```ts
 * const brain = scriptedBrain([{ calls: [{ name: 'get_weather', input: { city: 'Oslo' } }] }, 'Take a coat.']);
 * ```
 */
export function scriptedBrain(
  turns: readonly ScriptedTurn[] | ((request: BrainRequest, turn: number) => ScriptedTurn),
  options: string | ScriptedBrainOptions = {},
): Brain {
  const { id = 'script/one', ...pieces } = typeof options === 'string' ? { id: options } : options;
  return {
    id,
    generate: async (request) => {
      const turn = turnsSaid(request.items);
      const said = typeof turns === 'function' ? turns(request, turn) : (turns[turn] ?? 'The script has ended.');
      const answer = answerOf(said, turn);
      if (answer.status === 'answered') await sayInPieces(answer.parts, request, pieces);
      return answer;
    },
  };
}

/** Unreadable output leaves a notice, behind the words that came with it when there were any. */
function turnsSaid(items: readonly TranscriptItem[]): number {
  return items.filter(
    (item, index) => item.kind === 'assistant' || (item.kind === 'notice' && items[index - 1]?.kind !== 'assistant'),
  ).length;
}

function answerOf(said: ScriptedTurn, turn: number): BrainAnswer {
  if (typeof said === 'string') return answered([{ kind: 'text', text: said }], 'stop');
  if ('status' in said) return said;
  const text: readonly ModelPart[] = said.text === undefined ? [] : [{ kind: 'text', text: said.text }];
  const calls = said.calls.map((call, place): ModelPart => ({
    kind: 'call',
    toolCallId: call.id ?? `call_${turn + 1}_${place + 1}`,
    toolName: call.name,
    argumentsText: typeof call.input === 'string' ? call.input : JSON.stringify(call.input),
  }));
  return answered([...text, ...calls], 'tool-calls');
}

function answered(parts: readonly ModelPart[], finishReason: 'stop' | 'tool-calls'): BrainAnswer {
  return { status: 'answered', parts, finishReason, usage: { inputTokens: 10, outputTokens: 5 } };
}
