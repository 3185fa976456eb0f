/** One attempt to ask a model: within its time limit, never throwing, and with unreadable output named as such. */
import { failureOf } from '../call/failure.ts';
import type { Brain, BrainAnswer, BrainRequest } from './brain.ts';
import { isBrainAnswer } from './is-brain-answer.ts';
import type { Failure } from '../call/outcome.ts';
import type { ModelPart } from '../call/message.ts';
import type { Timers } from '../util/clock.ts';
import { toJson } from '../util/json.ts';
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';

export interface AskOptions {
  readonly brain: Brain;
  readonly request: Omit<BrainRequest, 'signal'>;
  readonly timers: Timers;
  /** Milliseconds the model may take. */
  readonly timeoutMs: number;
  /** Aborted from outside on cancellation and shut-down, and from here at the time limit. */
  readonly controller: AbortController;
}

export function askBrain({ brain, request, timers, timeoutMs, controller }: AskOptions): Promise<BrainAnswer> {
  const { signal } = controller;
  return new Promise((resolve) => {
    const settle = (answer: BrainAnswer): void => {
      cancelLimit();
      signal.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const giveUp = (failure: Failure): void => {
      settle({ status: 'failed', failure });
      controller.abort(new Error(failure.message));
    };
    // Asking a model has no effect, so nothing is lost by not waiting for it.
    const onAbort = (): void =>
      giveUp(failureOf('call-cancelled', 'The model call was cancelled.', { evidence: 'none' }));
    const cancelLimit = timers.after(timeoutMs, () => giveUp(timedOut(brain.id, timeoutMs)));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
      return;
    }
    generate(brain, { ...request, signal }).then(settle, (error: unknown) =>
      settle({ status: 'failed', failure: broken(error) }),
    );
  });
}

/** One turn of a brain that may throw before it returns its promise, or answer with something that is none. */
async function generate(brain: Brain, request: BrainRequest): Promise<BrainAnswer> {
  const answer: unknown = await brain.generate(request);
  if (isBrainAnswer(answer)) {
    return answer.status === 'answered' ? { ...answer, parts: answer.parts.map(storable) } : answer;
  }
  throw new AxleError(
    'model-output-unreadable',
    `${brain.id} answered with something that is not an answer of a Brain.`,
  );
}

/** What a provider wants back may be anything; the journal keeps JSON data. */
function storable(part: ModelPart): ModelPart {
  return part.meta === undefined ? part : { ...part, meta: toJson(part.meta) };
}

function timedOut(model: string, timeoutMs: number): Failure {
  return failureOf('model-unavailable', `${model} did not answer within ${timeoutMs} ms.`, { evidence: 'none' });
}

// Asking a model changes nothing, whatever it throws.
function broken(error: unknown): Failure {
  if (isAxleError(error)) return failureOf(error.code, error.message, { evidence: 'none', advice: error.remedy });
  return failureOf('model-unavailable', messageOf(error), { evidence: 'none' });
}

/** Calls of one turn at most. */
export const maxCallsPerTurn = 128;

/** Characters of one answer at most, calls and reasoning included. */
export const maxAnswerLength = 4_000_000;

type Answered = Extract<BrainAnswer, { status: 'answered' }>;

/** What of an answer is kept, and, when it cannot be used, what was wrong with it, in words for the model. (A9) */
export function readAnswer(answer: Answered): { readonly parts: readonly ModelPart[]; readonly unreadable?: string } {
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
  const unreadable = callCount > 0 ? undefined : whatIsUnreadable(answer);
  return unreadable === undefined ? { parts } : { parts, unreadable };
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
