/** A brain made of a model object of the AI SDK. One call of `generate` is one request: repeating it is the core's business. */
import type { Brain, BrainAnswer, BrainRequest } from '../brain/brain.ts';
import { AxleError } from '../error/axle-error.ts';
import type { Clock } from '../util/clock.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';
import { readAnswer } from './answer.ts';
import { aborted, toModelFailure } from './model-failure.ts';
import { toPrompt } from './prompt.ts';
import type { AiSdkModel, CallOptions, ProviderData } from './specification.ts';
import { toToolList } from './tool-list.ts';

export interface BrainOptions {
  /** Options of the provider, handed on unchanged: `{ openai: { reasoningEffort: 'low' } }`. */
  readonly providerOptions?: ProviderData;
  /** Reads the `Retry-After` dates of responses that carry no date of their own. @defaultValue the system clock */
  readonly clock?: Clock;
}

/**
 * Makes a brain of an AI SDK model object, specification v3 (AI SDK 6) or v4 (AI SDK 7).
 *
 * @throws AxleError `model-unsupported` for anything else.
 */
export function brainFromModel(model: AiSdkModel, options: BrainOptions = {}): Brain {
  assertModel(model);
  const clock = options.clock ?? { nowMs: () => Date.now() };
  return Object.freeze({
    id: `${model.provider.split('.')[0] ?? model.provider}/${model.modelId}`,
    generate: (request: BrainRequest) => generate(model, request, { clock, providerOptions: options.providerOptions }),
  });
}

/** True for an object that looks like a model of AI SDK 6 or 7. */
export function isAiSdkModel(value: unknown): value is AiSdkModel {
  return (
    isRecord(value) &&
    (value['specificationVersion'] === 'v3' || value['specificationVersion'] === 'v4') &&
    typeof value['provider'] === 'string' &&
    typeof value['modelId'] === 'string' &&
    typeof value['doGenerate'] === 'function'
  );
}

function assertModel(model: unknown): void {
  if (isAiSdkModel(model)) return;
  const found = isRecord(model)
    ? `an object of specification ${JSON.stringify(model['specificationVersion'])}`
    : `a ${typeof model}`;
  throw new AxleError(
    'model-unsupported',
    `A model must be an AI SDK model object of specification v3 or v4; this is ${found}.`,
  );
}

interface Settings {
  readonly clock: Clock;
  readonly providerOptions: ProviderData | undefined;
}

async function generate(model: AiSdkModel, request: BrainRequest, settings: Settings): Promise<BrainAnswer> {
  const { signal } = request;
  if (isAborted(signal)) return { status: 'failed', failure: aborted() };
  const { tools, nameOf } = toToolList(request.tools);
  const { providerOptions, clock } = settings;
  const callOptions: CallOptions = {
    ...request.settings,
    prompt: toPrompt(request.instructions, request.items),
    ...(tools.length === 0 ? {} : { tools, toolChoice: { type: 'auto' } }),
    abortSignal: signal,
    ...defined({ providerOptions }),
  };
  try {
    // A model that does not listen for the abort keeps nobody waiting: `askBrain` has settled by then.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `never` admits the models of both versions; specification.test.ts proves that they take CallOptions.
    const result: unknown = await model.doGenerate(callOptions as never);
    return readAnswer(result, nameOf);
  } catch (error) {
    return { status: 'failed', failure: isAborted(signal) ? aborted() : toModelFailure(error, clock.nowMs()) };
  }
}

// A function of its own: asked twice in one body, the compiler takes the second answer for the first.
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
