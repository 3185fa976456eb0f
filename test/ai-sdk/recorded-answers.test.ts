import { describe, expect, test } from 'vitest';
import type { BrainAnswer } from '../../src/brain/brain.ts';
import { startLoopback } from './loopback.ts';
import { anthropicMessageOf, chatCompletionOf, openAiResponseOf } from './recordings.ts';
import { anthropicBrain, compatibleBrain, openAiBrain, requestWith } from './request.ts';
import { textLike } from './text-like.ts';

type Answered = Extract<BrainAnswer, { status: 'answered' }>;

async function answerTo(body: unknown, brainAt: typeof compatibleBrain): Promise<Answered> {
  await using server = await startLoopback({ body });
  const answer = await brainAt(server.url).generate(requestWith());
  if (answer.status !== 'answered') throw new Error(answer.failure.message);
  return answer;
}

describe('recorded chat completions', () => {
  test.each([
    ['R10', 'qwen', 'call_eee11723464a4b9eb8cee71d', '{"location": "San Francisco"}'],
    ['R12', 'mistral', 'gSIMJiOkT', '{"location": "San Francisco"}'],
    ['R13', 'groq', 'tk85n1k4m', '{}'],
  ])('%s: a call of %s keeps its id, name and arguments', async (id, _, toolCallId, argumentsText) => {
    const answer = await answerTo(chatCompletionOf(id), compatibleBrain);
    expect(answer.finishReason).toBe('tool-calls');
    expect(answer.parts).toMatchObject([{ kind: 'call', toolCallId, toolName: 'weather', argumentsText }]);
  });

  test('R10: tokens are counted as the provider counted them', async () => {
    const answer = await answerTo(chatCompletionOf('R10'), compatibleBrain);
    expect(answer.usage).toMatchObject({ inputTokens: 295, outputTokens: 22, cachedInputTokens: 0 });
  });

  test('R09: reasoning of deepseek comes before the call it led to', async () => {
    const answer = await answerTo(chatCompletionOf('R09'), compatibleBrain);
    expect(answer.parts.map((part) => part.kind)).toEqual(['reasoning', 'call']);
    expect(answer.respondedAs).toBe('deepseek-reasoner');
    expect(answer.usage.reasoningTokens).toBeGreaterThan(0);
  });

  test('R16: text before a call stands before it', async () => {
    const answer = await answerTo(chatCompletionOf('R16'), compatibleBrain);
    expect(answer.parts).toMatchObject([
      { kind: 'text', text: 'Reading it.' },
      { kind: 'call', toolName: 'read_file', argumentsText: '{"path": "a.txt"}' },
    ]);
    expect(answer.usage).toEqual({});
  });
});

describe('recorded Anthropic messages', () => {
  test('R01: a call without arguments is a call with an empty object', async () => {
    const answer = await answerTo(anthropicMessageOf('R01'), anthropicBrain);
    expect(answer.parts).toMatchObject([
      { kind: 'text', text: "I'll update the issue list for you." },
      { kind: 'call', toolName: 'updateIssueList', argumentsText: '{}' },
    ]);
    expect(answer.usage).toMatchObject({ inputTokens: 565, outputTokens: 48 });
  });

  test('R03: a call that the provider ran on its own side is none of ours', async () => {
    const answer = await answerTo(anthropicMessageOf('R03'), anthropicBrain);
    expect(answer.parts.map((part) => part.kind)).toEqual(['text']);
    expect(answer.finishReason).toBe('stop');
  });
});

describe('recorded OpenAI responses', () => {
  test('R18: a call carries the data that must go back with it', async () => {
    const answer = await answerTo(openAiResponseOf('R18'), openAiBrain);
    expect(answer.parts).toMatchObject([
      {
        kind: 'call',
        toolCallId: textLike(/^call_H5DxLSFnsGhiROnUiDHmgyc8/),
        argumentsText: '{"location":"San Francisco"}',
        meta: { openai: { itemId: textLike(/^fc_/) } },
      },
    ]);
    expect(answer.finishReason).toBe('tool-calls');
  });

  test('R20: reasoning without words is kept, since its id must go back', async () => {
    const answer = await answerTo(openAiResponseOf('R20'), openAiBrain);
    expect(answer.parts).toMatchObject([
      { kind: 'reasoning', text: '', meta: { openai: { itemId: textLike(/^rs_/) } } },
      { kind: 'call', toolName: 'local_shell' },
    ]);
  });
});

describe('answers of every form', () => {
  function completion(message: object, finishReason: string | null, usage?: object): object {
    return {
      id: 'c',
      created: 0,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finishReason }],
      usage,
    };
  }

  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['tool_calls', 'tool-calls'],
    ['something_new', 'other'],
  ])('the finish reason %s is %s', async (reason, expected) => {
    expect((await answerTo(completion({ content: 'x' }, reason), compatibleBrain)).finishReason).toBe(expected);
  });

  test('an answer without text and call has no parts', async () => {
    expect((await answerTo(completion({ content: '' }, 'stop'), compatibleBrain)).parts).toEqual([]);
  });

  test('half a character pair is mended', async () => {
    const body = JSON.stringify(completion({ content: 'half: @' }, 'stop')).replace('@', '\\ud83d');
    const answer = await answerTo(body, compatibleBrain);
    expect(answer.parts).toEqual([{ kind: 'text', text: 'half: \uFFFD' }]);
  });

  test('arguments that are cut off arrive as the model wrote them', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"location": "San' } };
    const answer = await answerTo(completion({ content: null, tool_calls: [call] }, 'length'), compatibleBrain);
    expect(answer).toMatchObject({ finishReason: 'length', parts: [{ argumentsText: '{"location": "San' }] });
  });
});
