/** One attempt to ask a model: within its time limit, never throwing, and with unreadable output named as such. */
import type { Brain, BrainAnswer, BrainRequest } from './brain.ts';
import type { Failure } from '../call/outcome.ts';
import type { ModelPart } from '../call/message.ts';
import type { Timers } from '../util/clock.ts';
import { isAxleError, messageOf } from '../error/axle-error.ts';

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
      giveUp({ code: 'call-cancelled', class: 'fatal', message: 'The model call was cancelled.', evidence: 'unknown' });
    const cancelLimit = timers.after(timeoutMs, () => giveUp(timedOut(brain.id, timeoutMs)));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
      return;
    }
    brain
      .generate({ ...request, signal: controller.signal })
      .then(settle, (error: unknown) => settle({ status: 'failed', failure: broken(error) }));
  });
}

function timedOut(model: string, timeoutMs: number): Failure {
  return {
    code: 'model-unavailable',
    class: 'retryable',
    message: `${model} did not answer within ${timeoutMs} ms.`,
    evidence: 'unknown',
  };
}

function broken(error: unknown): Failure {
  if (isAxleError(error)) return { code: error.code, class: error.class, message: error.message, evidence: 'unknown' };
  return { code: 'model-unavailable', class: 'retryable', message: messageOf(error), evidence: 'unknown' };
}

/** What was wrong with an answer that holds neither text nor a call, in words for the model; undefined when it can be used. (A9) */
export function whatIsUnreadable(answer: Extract<BrainAnswer, { status: 'answered' }>): string | undefined {
  const hasCall = answer.parts.some((part) => part.kind === 'call');
  if (hasCall) return undefined;
  if (answer.finishReason === 'length')
    return 'Your last answer was cut off by the output limit. Answer again, shorter, or use a tool.';
  if (answer.finishReason === 'error')
    return 'Your last answer could not be read. If you meant to call a tool, call it in the tool-call format; else answer in plain text.';
  return answer.parts.some(isSaid) ? undefined : 'Your last answer was empty. Answer in plain text, or call a tool.';
}

function isSaid(part: ModelPart): boolean {
  return part.kind === 'text' && part.text.trim() !== '';
}
