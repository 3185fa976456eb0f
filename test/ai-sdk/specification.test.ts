/** Holds our own types to the real ones: most of what is proved here is proved by the compiler. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4CallOptions,
} from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { type AiSdkModel, brainFromModel, isAiSdkModel } from '../../src/ai-sdk.ts';
import type { CallOptions } from '../../src/ai-sdk/specification.ts';
import { isAxleError } from '../../src/error/axle-error.ts';
import { requestWith } from './request.ts';
import { textLike } from './text-like.ts';

// Models of both versions are models to us; what we hand over is what both take. (Schemas are plain JSON to us, JSONSchema7 to them.)
const fromV3 = (model: LanguageModelV3): AiSdkModel => model;
const fromV4 = (model: LanguageModelV4): AiSdkModel => model;
const toV3 = (options: Omit<CallOptions, 'tools'>): LanguageModelV3CallOptions => options;
const toV4 = (options: Omit<CallOptions, 'tools'>): LanguageModelV4CallOptions => options;

const noUsage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** A model of AI SDK 6, written against the specification's own types. */
function modelOfV3(change: Partial<LanguageModelV3> = {}): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'six.chat',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'yes' }],
      finishReason: { unified: 'stop', raw: undefined },
      usage: noUsage,
      warnings: [],
    }),
    doStream: async () => {
      throw new Error('Nothing here streams.');
    },
    ...change,
  };
}

describe('the specification of models', () => {
  test('real providers make models that are accepted, and named by provider and model', () => {
    const models = [
      createOpenAI({ apiKey: 'k' })('gpt-5'),
      createAnthropic({ apiKey: 'k' })('claude-sonnet-4-5'),
      createOpenAICompatible({ name: 'local', baseURL: 'http://127.0.0.1/v1' })('llama'),
    ];
    expect(models.every(isAiSdkModel)).toBe(true);
    expect(models.map((model) => brainFromModel(model).id)).toEqual([
      'openai/gpt-5',
      'anthropic/claude-sonnet-4-5',
      'local/llama',
    ]);
  });

  test('a model of AI SDK 6 answers like one of AI SDK 7', async () => {
    const answer = await brainFromModel(modelOfV3()).generate(requestWith());
    expect(answer).toEqual({
      status: 'answered',
      parts: [{ kind: 'text', text: 'yes' }],
      finishReason: 'stop',
      usage: {},
    });
  });

  test.each([
    ['a name', 'openai/gpt-5'],
    ['a model of AI SDK 5', { specificationVersion: 'v2', provider: 'p', modelId: 'm', doGenerate: () => undefined }],
    ['nothing', undefined],
  ])('%s is refused with what was found', (_, model) => {
    let thrown: unknown;
    try {
      // What JavaScript callers can do.
      brainFromModel(model as unknown as AiSdkModel);
    } catch (error) {
      thrown = error;
    }
    expect(isAxleError(thrown, 'model-unsupported')).toBe(true);
  });

  test.each([
    ['interrupted', 'ended in the middle'],
    ['error', 'with an error'],
  ])('the finish reason %s is a failure that may be tried again', async (unified, words) => {
    const result = {
      content: [{ type: 'text', text: 'half' }],
      finishReason: { unified, raw: undefined },
      usage: noUsage,
    };
    const model = { specificationVersion: 'v4' as const, provider: 'p', modelId: 'm', doGenerate: async () => result };
    expect(await brainFromModel(model).generate(requestWith())).toMatchObject({
      status: 'failed',
      failure: { code: 'model-unavailable', class: 'retryable', message: textLike(words) },
    });
  });

  test('an answer that is no answer is a failure, not an exception', async () => {
    const model = { specificationVersion: 'v4' as const, provider: 'p', modelId: 'm', doGenerate: async () => 'text' };
    expect(await brainFromModel(model).generate(requestWith())).toMatchObject({
      status: 'failed',
      failure: { code: 'model-unavailable' },
    });
  });

  test('settings cannot replace the conversation', async () => {
    const seen: LanguageModelV3CallOptions[] = [];
    const model = modelOfV3();
    const listening: LanguageModelV3 = {
      ...model,
      doGenerate: (options) => {
        seen.push(options);
        return model.doGenerate(options);
      },
    };
    const settings = { temperature: 0.5, maxOutputTokens: 10, prompt: [] };
    await brainFromModel(fromV3(listening)).generate(requestWith({ settings }));
    expect(seen[0]).toMatchObject({ temperature: 0.5, maxOutputTokens: 10 });
    expect(seen[0]?.prompt.map((message) => message.role)).toEqual(['system', 'user']);
  });

  test('the types of both versions fit in both directions', () => {
    expect([fromV3, fromV4, toV3, toV4].every((check) => typeof check === 'function')).toBe(true);
  });
});
