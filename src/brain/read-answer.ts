/**
 * What a model answered, read: within limits, with the calls that it wrote in its text, and with what was wrong with it in words for the model.
 */
import type { ModelPart, TranscriptItem } from '../call/message.ts';
import { readTextCalls, type TextPiece } from '../contract/text-calls/read-text-calls.ts';
import type { BrainAnswer } from './brain.ts';
import { isOfUser, isQuoted } from './is-quoted.ts';

/** Calls of one turn at most. */
export const maxCallsPerTurn = 128;

/** Characters of one answer at most, calls and reasoning included. */
export const maxAnswerLength = 4_000_000;

type Answered = Extract<BrainAnswer, { status: 'answered' }>;

export interface ReadAnswer {
  readonly parts: readonly ModelPart[];
  readonly unreadable?: string;
}

/** What the reader of an answer may look at beside the answer itself. */
export interface ReadingContext {
  /** The tools that the model may use. */
  readonly names: readonly string[];
  /** The conversation that the model was shown; asked for only where an answer may hold calls in its text. */
  readonly items: () => readonly TranscriptItem[];
}

/** What of an answer is kept, and, when it cannot be used, what was wrong with it, in words for the model. (A9) */
export function readAnswer(answer: Answered, context: ReadingContext): ReadAnswer {
  const { parts } = answer;
  if (lengthOf(parts) > maxAnswerLength) {
    return {
      parts: [],
      unreadable: `Your last answer was longer than ${maxAnswerLength} characters. Answer again, much shorter.`,
    };
  }
  const callCount = parts.filter((part) => part.kind === 'call').length;
  if (callCount > maxCallsPerTurn) {
    const said = parts.filter((part) => part.kind !== 'call');
    return {
      parts: said,
      unreadable: `Your last answer held ${callCount} calls; a turn takes at most ${maxCallsPerTurn}, and none of them was run. Send fewer.`,
    };
  }
  if (callCount > 0) return { parts };
  const unreadable = whatIsUnreadable(answer);
  return unreadable === undefined ? readSaid(parts, context) : { parts, unreadable };
}

/** Words that hold calls become calls, or a question to the model whether they are meant as such. */
function readSaid(parts: readonly ModelPart[], context: ReadingContext): ReadAnswer {
  const places = parts.flatMap((part, place) => (isSaid(part) ? [place] : []));
  const read: ModelPart[] = [];
  let calls = 0;
  for (const [place, part] of parts.entries()) {
    const found =
      part.kind === 'text'
        ? readTextCalls(part.text, {
            names: context.names,
            isAfterWords: places.some((other) => other < place),
            isBeforeWords: places.some((other) => other > place),
            wasAsked: () => wasAsked(context.items()),
            isQuoted: (text) => isQuoted(text, context.items()),
            isOfUser: (text) => isOfUser(text, context.items()),
          })
        : undefined;
    if (found?.kind === 'unclear') return { parts, unreadable: `${meantAsCall} ${found.what}` };
    if (part.kind !== 'text' || found?.kind !== 'calls') read.push(part);
    else {
      for (const piece of found.pieces) read.push(toPart(piece, part));
      calls += found.pieces.length;
    }
  }
  return calls === 0 || calls > maxCallsPerTurn ? { parts } : { parts: read };
}

function toPart(piece: TextPiece, { meta }: ModelPart): ModelPart {
  if (piece.kind === 'text') return { kind: 'text', text: piece.text, ...(meta === undefined ? {} : { meta }) };
  const { toolName, argumentsText, written, besideText } = piece;
  return { kind: 'call', toolCallId: '', toolName, argumentsText, written: { text: written, besideText } };
}

/** Begins what the model is told of an answer that looks like a call; the same words again are not asked about again. */
const meantAsCall =
  'Your last answer looks like a call of a tool that was written as text, so nothing was run. If a call was meant, send it in the tool-call format; if it was your answer, say it again.';

function wasAsked(items: readonly TranscriptItem[]): boolean {
  const last = items.at(-1);
  return last?.kind === 'notice' && last.text.startsWith(meantAsCall);
}

function lengthOf(parts: readonly ModelPart[]): number {
  return parts.reduce(
    (sum, part) => sum + (part.kind === 'call' ? part.argumentsText.length + part.toolName.length : part.text.length),
    0,
  );
}

function whatIsUnreadable(answer: Answered): string | undefined {
  if (answer.finishReason === 'length') {
    return 'Your last answer was cut off by the output limit. Answer again, shorter, or use a tool.';
  }
  if (answer.finishReason === 'error') {
    return 'Your last answer could not be read. If you meant to call a tool, call it in the tool-call format; else answer in plain text.';
  }
  return answer.parts.some(isSaid) ? undefined : 'Your last answer was empty. Answer in plain text, or call a tool.';
}

function isSaid(part: ModelPart): boolean {
  return part.kind === 'text' && part.text.trim() !== '';
}
