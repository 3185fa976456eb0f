/** One attempt to ask a model: within its time limit, never throwing, and with unreadable output named as such. */
import { failureOf } from '../call/failure.ts';
import type { Brain, BrainAnswer, BrainRequest } from './brain.ts';
import { isBrainAnswer } from './is-brain-answer.ts';
import type { Failure } from '../call/outcome.ts';
import type { ModelPart } from '../call/message.ts';
import type { Timers } from '../util/clock.ts';
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';

export interface AskOptions {
  readonly brain: Brain;
  readonly request: Omit<BrainRequest, 'signal'>;
  readonly timers: Timers;
  /** Milliseconds the model may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export function askBrain({ brain, request, timers, timeoutMs, signal }: AskOptions): Promise<BrainAnswer> {
  const controller = new AbortController();
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
    generate(brain, { ...request, signal: controller.signal }).then(settle, (error: unknown) =>
      settle({ status: 'failed', failure: broken(error) }),
    );
  });
}

/** One turn of a brain that may throw before it returns its promise, or answer with something that is none. */
async function generate(brain: Brain, request: BrainRequest): Promise<BrainAnswer> {
  const answer: unknown = await brain.generate(request);
  if (isBrainAnswer(answer)) return answer;
  throw new AxleError(
    'model-output-unreadable',
    `${brain.id} answered with something that is not an answer of a Brain.`,
  );
}

function timedOut(model: string, timeoutMs: number): Failure {
  return failureOf('model-unavailable', `${model} did not answer within ${timeoutMs} ms.`, { evidence: 'none' });
}

// Asking a model changes nothing, whatever it throws.
function broken(error: unknown): Failure {
  if (isAxleError(error)) return failureOf(error.code, error.message, { evidence: 'none', advice: error.remedy });
  return failureOf('model-unavailable', messageOf(error), { evidence: 'none' });
}

/** What was wrong with an answer that holds neither text nor a call, in words for the model; undefined when it can be used. (A9) */
export function whatIsUnreadable(answer: Extract<BrainAnswer, { status: 'answered' }>): string | undefined {
  const hasCall = answer.parts.some((part) => part.kind === 'call');
  if (hasCall) return undefined;
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
