/** One attempt to ask a model: within its time limit, never throwing, and with unreadable output named as such. */
import type { Brain, BrainAnswer, BrainDelta, BrainRequest } from './brain.ts';
import { generateFrom, type ViewRequest } from './brain-of-views.ts';
import { isBrainAnswer, isBrainDelta } from './is-brain-answer.ts';
import { modelFailure, threw } from './model-failure.ts';
import { maxAnswerLength } from './read-answer.ts';
import type { Failure } from '../call/outcome.ts';
import type { ModelPart } from '../call/message.ts';
import type { Abort } from '../util/abort.ts';
import type { Timers } from '../util/clock.ts';
import { toJson } from '../util/json.ts';
import { AxleError, isAxleError } from '../error/axle-error.ts';

export interface AskOptions {
  readonly brain: Brain;
  readonly request: Omit<ViewRequest, 'signal'>;
  readonly timers: Timers;
  /** Milliseconds the model may take. */
  readonly timeoutMs: number;
  /** Aborted from outside on cancellation and shut-down, and from here at the time limit. */
  readonly abort: Abort;
}

export function askBrain({ brain, request, timers, timeoutMs, abort }: AskOptions): Promise<BrainAnswer> {
  return new Promise((resolve) => {
    let isSettled = false;
    const settle = (answer: BrainAnswer): void => {
      isSettled = true;
      cancelLimit();
      abort.stopListening(onAbort);
      resolve(answer);
    };
    const giveUp = (failure: Failure): void => {
      settle({ status: 'failed', failure });
      abort.abort(new Error(failure.message));
    };
    // Asking a model has no effect, so nothing is lost by not waiting for it.
    const onAbort = (): void => giveUp(modelFailure('call-cancelled', 'The model call was cancelled.'));
    const cancelLimit = timers.after(timeoutMs, () => giveUp(timedOut(brain.id, timeoutMs)));
    if (abort.isAborted) {
      onAbort();
      return;
    }
    abort.onAbort(onAbort);
    const onDelta = checkedDeltas(request.onDelta, () => isSettled);
    generate(brain, { ...request, ...(onDelta === undefined ? {} : { onDelta }), signal: abort.signal }).then(
      settle,
      (error: unknown) => settle({ status: 'failed', failure: broken(error) }),
    );
  });
}

/** Pieces in the form of the port, within the length of an answer, until the model call is over. */
function checkedDeltas(
  onDelta: BrainRequest['onDelta'],
  isOver: () => boolean,
): ((delta: BrainDelta) => void) | undefined {
  if (onDelta === undefined) return undefined;
  let length = 0;
  return (delta) => {
    if (isOver() || !isBrainDelta(delta)) return;
    length += delta.text.length;
    if (length <= maxAnswerLength) onDelta(delta);
  };
}

/** One turn of a brain that may throw before it returns its promise, or answer with something that is none. */
async function generate(brain: Brain, request: ViewRequest): Promise<BrainAnswer> {
  const answer: unknown = await generateFrom(brain, request);
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
  return modelFailure('model-unavailable', `${model} did not answer within ${timeoutMs} ms.`);
}

/** Expected faults are answers, so a brain that throws is broken, unless it says itself what it is about. */
function broken(error: unknown): Failure {
  return isAxleError(error) ? { ...modelFailure(error.code, error.message), advice: error.remedy } : threw(error);
}
