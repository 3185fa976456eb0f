import { describe, expect, test } from 'vitest';
import { brainFromModel } from '../../src/ai-sdk.ts';
import type { BrainAnswer } from '../../src/brain/brain.ts';
import { requestWith } from './request.ts';

const finish = {
  type: 'finish',
  finishReason: { unified: 'tool-calls' },
  usage: { inputTokens: { total: 3 }, outputTokens: { total: 5 } },
};

/** What a brain makes of a stream of these parts. */
function answerTo(...parts: readonly unknown[]): Promise<BrainAnswer> {
  const model = {
    specificationVersion: 'v3' as const,
    provider: 'streaming',
    modelId: 'one',
    doGenerate: async () => {
      throw new Error('A stream was asked for.');
    },
    doStream: async () => ({ stream: ReadableStream.from(parts) }),
  };
  return brainFromModel(model, { stream: true }).generate(requestWith());
}

const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{"location":"Oslo"}' };

describe('a streamed answer', () => {
  test('is put together from its pieces, each with the data that must go back with it', async () => {
    expect(
      await answerTo(
        { type: 'response-metadata', modelId: 'one-2026' },
        { type: 'reasoning-start', id: '0' },
        { type: 'reasoning-delta', id: '0', delta: 'Oslo ' },
        { type: 'text-start', id: '0' },
        { type: 'reasoning-delta', id: '0', delta: 'is meant.' },
        { type: 'reasoning-end', id: '0', providerMetadata: { some: { signature: 's' } } },
        { type: 'text-delta', id: '0', delta: 'I will ' },
        { type: 'text-delta', id: '0', delta: 'look.' },
        call,
        finish,
      ),
    ).toEqual({
      status: 'answered',
      respondedAs: 'one-2026',
      finishReason: 'tool-calls',
      usage: { inputTokens: 3, outputTokens: 5 },
      parts: [
        { kind: 'reasoning', text: 'Oslo is meant.', meta: { some: { signature: 's' } } },
        { kind: 'text', text: 'I will look.' },
        { kind: 'call', toolCallId: 'c1', toolName: 'weather', argumentsText: '{"location":"Oslo"}' },
      ],
    });
  });

  test('that breaks off runs nothing, whole calls included (R28)', async () => {
    const started = { type: 'tool-input-start', id: 'c2', toolName: 'weather' };
    expect(await answerTo(call, started, { type: 'tool-input-delta', id: 'c2', delta: '{"loc' })).toMatchObject({
      status: 'failed',
      failure: { code: 'model-unavailable', class: 'retryable' },
    });
  });

  test('that says it is an error is one, with its own status', async () => {
    const error = Object.assign(new Error('slow down'), { statusCode: 429, responseHeaders: { 'retry-after': '7' } });
    expect(await answerTo(call, { type: 'error', error }, finish)).toMatchObject({
      status: 'failed',
      failure: { code: 'upstream-rate-limited', retryAfterMs: 7_000 },
    });
  });

  test('that is no stream is a fault of the provider', async () => {
    const model = {
      specificationVersion: 'v3' as const,
      provider: 'p',
      modelId: 'm',
      doGenerate: async () => ({}),
      doStream: async () => ({}),
    };
    const answer = await brainFromModel(model, { stream: true }).generate(requestWith());
    expect(answer).toMatchObject({ status: 'failed', failure: { code: 'model-unavailable' } });
  });
});
