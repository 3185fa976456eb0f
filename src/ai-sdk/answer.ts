/**
 * Reads what `doGenerate` answered. It is data from outside, and providers differ from their own types now and then: everything is checked, nothing is cast.
 *
 * An answer with neither text nor call is an answer with no parts; what to do about it is the core's business.
 * What a provider did on its own side (calls that it ran itself, sources, files) is left out: no call of ours stands for it.
 */
import type { BrainAnswer } from '../brain/brain.ts';
import type { FinishReason, ModelPart, Usage } from '../call/message.ts';
import { defined } from '../util/defined.ts';
import { isJsonObject, isRecord, type JsonObject, toJson } from '../util/json.ts';
import { unavailable } from './model-failure.ts';

/** Turns a result of `doGenerate` into an answer; `nameOf` gives the tool that a name on the wire stands for. */
export function readAnswer(result: unknown, nameOf: (nameOnWire: string) => string): BrainAnswer {
  const content: unknown = isRecord(result) ? result['content'] : undefined;
  if (!isRecord(result) || !Array.isArray(content)) {
    return {
      status: 'failed',
      failure: unavailable('The provider answered with something that is not a result of its specification.'),
    };
  }
  const finishReason = readFinishReason(result['finishReason']);
  if (finishReason === 'interrupted') {
    return {
      status: 'failed',
      failure: unavailable('The answer ended in the middle: the provider gave no sign of completion.'),
    };
  }
  if (finishReason === 'error') {
    return { status: 'failed', failure: unavailable('The provider ended the answer with an error.') };
  }
  const parts: readonly unknown[] = content;
  const respondedAs = isRecord(result['response']) ? result['response']['modelId'] : undefined;
  return {
    status: 'answered',
    parts: parts.flatMap((part) => readPart(part, nameOf)),
    finishReason,
    usage: readUsage(result['usage']),
    ...(typeof respondedAs === 'string' && respondedAs !== '' ? { respondedAs } : {}),
  };
}

function readPart(part: unknown, nameOf: (nameOnWire: string) => string): readonly ModelPart[] {
  if (!isRecord(part)) return [];
  const meta = readMeta(part['providerMetadata']);
  switch (part['type']) {
    case 'text':
    case 'reasoning': {
      const text = typeof part['text'] === 'string' ? part['text'].toWellFormed() : '';
      return text === '' && meta === undefined
        ? []
        : [{ kind: part['type'], text, ...(meta === undefined ? {} : { meta }) }];
    }
    case 'tool-call':
      if (part['providerExecuted'] === true) return [];
      return [
        {
          kind: 'call',
          toolCallId: typeof part['toolCallId'] === 'string' ? part['toolCallId'].toWellFormed() : '',
          toolName: typeof part['toolName'] === 'string' ? nameOf(part['toolName'].toWellFormed()) : '',
          argumentsText: readArguments(part['input']),
          ...(meta === undefined ? {} : { meta }),
        },
      ];
    default:
      return [];
  }
}

/** The specification says text; some community providers hand over the object. */
function readArguments(input: unknown): string {
  if (typeof input === 'string') return input.toWellFormed();
  return input === undefined || input === null ? '' : JSON.stringify(toJson(input));
}

/** Provider data is opaque and must go back as it came, so data that JSON cannot carry is dropped whole rather than changed. */
function readMeta(metadata: unknown): JsonObject | undefined {
  if (!isRecord(metadata)) return undefined;
  try {
    const meta = toJson(metadata);
    return isJsonObject(meta) && Object.keys(meta).length > 0 ? meta : undefined;
  } catch {
    return undefined;
  }
}

const finishReasons: Readonly<Record<FinishReason, true>> = {
  stop: true,
  length: true,
  'content-filter': true,
  'tool-calls': true,
  error: true,
  interrupted: true,
  other: true,
};

/** Both versions say `{ unified, raw }`; early providers of v3 say the word alone. */
function readFinishReason(reason: unknown): FinishReason {
  const word: unknown = isRecord(reason) ? reason['unified'] : reason;
  return isFinishReason(word) ? word : 'other';
}

function isFinishReason(word: unknown): word is FinishReason {
  return typeof word === 'string' && Object.hasOwn(finishReasons, word);
}

/** Counts that the provider did not give stay absent: zero would be a claim. */
function readUsage(usage: unknown): Usage {
  if (!isRecord(usage)) return {};
  const input = isRecord(usage['inputTokens']) ? usage['inputTokens'] : { total: usage['inputTokens'] };
  const output = isRecord(usage['outputTokens']) ? usage['outputTokens'] : { total: usage['outputTokens'] };
  return defined({
    inputTokens: countIn(input['total']),
    outputTokens: countIn(output['total']),
    cachedInputTokens: countIn(input['cacheRead']),
    reasoningTokens: countIn(output['reasoning']),
  });
}

function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
