/** A brain made of a model object of the AI SDK. One call of `generate` is one request: repeating it is the core's business. */
import type { Brain, BrainAnswer, BrainDelta } from '../brain/brain.ts';
import { brainOfViews, type ViewRequest } from '../brain/brain-of-views.ts';
import { type AliasProvider, aliasProviderOf } from '../contract/tool-alias.ts';
import { AxleError } from '../error/axle-error.ts';
import type { Clock } from '../util/clock.ts';
import { isRecord } from '../util/json.ts';
import { readAnswer } from './answer.ts';
import { aborted, toModelFailure } from './model-failure.ts';
import { Conversation } from './prompt.ts';
import { gather } from './streamed.ts';
import type { AiSdkModel, CallOptions, ProviderData } from './specification.ts';
import { toToolList } from './tool-list.ts';

export interface BrainOptions {
  /** Options of the provider, handed on unchanged: `{ openai: { reasoningEffort: 'low' } }`. */
  readonly providerOptions?: ProviderData;
  /**
   * Asks the provider for a stream and puts the answer together: what comes of it is the same, nothing is used before the end, and whoever watches sees it being
   * written. `true` also where nobody takes pieces, for providers and proxies that give up on an answer that is silent for long; `false` never.
   * @defaultValue where pieces are taken, as in a run; a provider that refuses streams is then asked for whole answers
   */
  readonly stream?: boolean;
  /** Reads the `Retry-After` dates of responses that carry no date of their own. @defaultValue the system clock */
  readonly clock?: Clock;
}

/**
 * Makes a brain of an AI SDK model object, specification v3 (AI SDK 6) or v4 (AI SDK 7).
 *
 * A run tells it what is new of the conversation. A brain that wraps this one hands it all items instead, which are compared with those of the last call.
 *
 * @throws AxleError `model-unsupported` for anything else.
 */
export function brainFromModel(model: AiSdkModel, options: BrainOptions = {}): Brain {
  assertModel(model);
  const clock = options.clock ?? { nowMs: () => Date.now() };
  const way: Way = { stream: options.stream };
  const names = aliasProviderOf(model.provider);
  const id = `${model.provider.split('.')[0] ?? model.provider}/${model.modelId}`;
  const settings: Settings = { clock, providerOptions: options.providerOptions, names, way };
  return brainOfViews(id, (request) => generate(model, request, settings));
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
  /** Whose rules the names of tools follow. */
  readonly names: AliasProvider;
  readonly way: Way;
}

/** Whether a model is asked for streams. Undefined while that is left to who takes pieces; false once it has refused one. */
interface Way {
  stream: boolean | undefined;
}

async function generate(model: AiSdkModel, request: ViewRequest, settings: Settings): Promise<BrainAnswer> {
  const { signal } = request;
  if (isAborted(signal)) return { status: 'failed', failure: aborted() };
  const { providerOptions, clock, names } = settings;
  const { tools, nameOf } = toToolList(request.tools, names);
  const callOptions: CallOptions = {
    ...request.settings,
    prompt: conversationWith(model, request).messages(request.instructions, request.view),
    ...(tools.length === 0 ? {} : { tools, toolChoice: { type: 'auto' } }),
    abortSignal: signal,
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
  try {
    // A model that does not listen for the abort keeps nobody waiting: `askBrain` has settled by then.
    const answer = readAnswer(await ask({ model, callOptions, request, nameOf }, settings), nameOf);
    return answer.status === 'failed' && isAborted(signal) ? { status: 'failed', failure: aborted() } : answer;
  } catch (error) {
    return { status: 'failed', failure: isAborted(signal) ? aborted() : toModelFailure(error, clock.nowMs()) };
  }
}

/** The conversation as it was converted for the last request of the run, where it is kept. */
function conversationWith(model: AiSdkModel, { memory }: ViewRequest): Conversation {
  const kept = memory?.get(model);
  if (kept instanceof Conversation) return kept;
  const conversation = new Conversation(model.provider);
  memory?.set(model, conversation);
  return conversation;
}

interface Asking {
  readonly model: AiSdkModel;
  readonly callOptions: CallOptions;
  readonly request: ViewRequest;
  readonly nameOf: (nameOnWire: string) => string;
}

/** What the provider answers: whole, or put together from a stream. */
function ask(asking: Asking, settings: Settings): PromiseLike<unknown> {
  const { model, request } = asking;
  const isStreamed = model.doStream !== undefined && (settings.way.stream ?? request.onDelta !== undefined);
  return isStreamed ? askForStream(asking, settings) : model.doGenerate(optionsOf(asking));
}

async function askForStream(asking: Asking, { way, clock }: Settings): Promise<unknown> {
  const { model, request, nameOf } = asking;
  const { signal, onDelta } = request;
  const options = optionsOf(asking);
  const told = { isAny: false };
  const tell = (delta: BrainDelta): void => {
    told.isAny = true;
    onDelta?.(delta);
  };
  try {
    return await gather(await model.doStream?.(options), { signal, nameOf, onDelta: tell });
  } catch (error) {
    // Nothing came, and the same request would be refused again: there are providers and proxies that answer whole or not at all.
    if (told.isAny || way.stream === true || !isRefused(error, clock)) throw error;
    const whole = await model.doGenerate(options);
    way.stream = false;
    return whole;
  }
}

function optionsOf({ callOptions }: Asking): never {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `never` admits the models of both versions; specification.test.ts proves that they take CallOptions.
  return callOptions as never;
}

/** True when the request itself was refused, for another reason than who sent it. */
function isRefused(error: unknown, clock: Clock): boolean {
  const status = isRecord(error) ? error['statusCode'] : undefined;
  return (
    status !== 401 && status !== 403 && status !== 429 && toModelFailure(error, clock.nowMs()).code === 'model-refused'
  );
}

// A function of its own: asked twice in one body, the compiler takes the second answer for the first.
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
