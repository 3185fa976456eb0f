import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, test, vi } from 'vitest';
import { brainFromModel } from '../../src/ai-sdk.ts';
import { retryAfterMs } from '../../src/util/retry-after.ts';
import type { Failure } from '../../src/call/outcome.ts';
import { type Behaviour, startLoopback } from './loopback.ts';
import { recordingOf } from './recordings.ts';
import { anthropicBrain, compatibleBrain, openAiBrain, requestWith, testKey } from './request.ts';
import { textLike } from './text-like.ts';

async function failureOf(behaviour: Behaviour, brainAt = compatibleBrain): Promise<Failure> {
  await using server = await startLoopback(behaviour);
  const answer = await brainAt(server.url).generate(requestWith({ instructions: 'the secret instructions' }));
  if (answer.status !== 'failed') throw new Error('The model answered.');
  expect(server.requests, 'one call of generate is one request').toHaveLength(1);
  expect(JSON.stringify(answer)).not.toContain(testKey);
  expect(JSON.stringify(answer)).not.toContain('the secret instructions');
  return answer.failure;
}

function errorBody(message: string, more: object = {}): object {
  return { error: { message, type: 'some_error', ...more } };
}

describe('recorded errors', () => {
  test('R23: 429 without Retry-After is a rate limit without a wait', async () => {
    const { status, body } = recordingOf('R23');
    const failure = await failureOf({ status: Number(status), body });
    expect(failure).toMatchObject({
      code: 'upstream-rate-limited',
      class: 'retryable',
      message: textLike('Provider returned error'),
    });
    expect(failure).not.toHaveProperty('retryAfterMs');
  });

  test('R24: 400 about the conversation is a refusal with the words of the provider', async () => {
    const { status, body } = recordingOf('R24');
    const failure = await failureOf({ status: Number(status), body }, openAiBrain);
    expect(failure).toMatchObject({
      code: 'model-refused',
      class: 'fatal',
      message: textLike('No tool output found'),
    });
  });
});

describe('errors of providers', () => {
  test.each([
    [400, 'model-refused'],
    [401, 'model-refused'],
    [403, 'model-refused'],
    [404, 'model-refused'],
    [408, 'model-unavailable'],
    [409, 'model-unavailable'],
    [413, 'model-refused'],
    [429, 'upstream-rate-limited'],
    [500, 'model-unavailable'],
    [503, 'model-unavailable'],
    [529, 'model-unavailable'],
  ])('status %i is %s', async (status, code) => {
    const failure = await failureOf({ status, body: errorBody('no') });
    expect(failure).toMatchObject({ code, details: { status } });
    expect(failure.class).toBe(code === 'model-refused' ? 'fatal' : 'retryable');
  });

  test('Anthropic overloaded may be tried again', async () => {
    const body = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(await failureOf({ status: 529, body }, anthropicBrain)).toMatchObject({ code: 'model-unavailable' });
  });

  test('an account that has run dry is no rate limit', async () => {
    const body = errorBody('You exceeded your current quota', { code: 'insufficient_quota' });
    expect(await failureOf({ status: 429, headers: { 'retry-after': '1' }, body }, openAiBrain)).toMatchObject({
      code: 'model-refused',
    });
  });

  test.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['zero', { 'retry-after': '0' }, 0],
    ['milliseconds, which are more exact', { 'retry-after': '7', 'retry-after-ms': '6543' }, 6_543],
    [
      'a date, measured against the date of the response',
      { 'retry-after': 'Fri, 01 Jan 2016 00:01:00 GMT', date: 'Fri, 01 Jan 2016 00:00:30 GMT' },
      30_000,
    ],
  ])('Retry-After in %s is passed on', async (_, headers, expected) => {
    expect((await failureOf({ status: 429, headers, body: errorBody('slow down') })).retryAfterMs).toBe(expected);
    expect((await failureOf({ status: 503, headers, body: errorBody('busy') })).retryAfterMs).toBe(expected);
  });

  test('a body that is not JSON is a fault that passes', async () => {
    expect(await failureOf({ body: '<html>gateway</html>' })).toMatchObject({
      code: 'model-unavailable',
      class: 'retryable',
    });
  });

  test('a connection that ends in the middle of the answer is a fault that passes', async () => {
    const failure = await failureOf((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id": "c"', () => response.socket?.destroy());
    });
    expect(failure).toMatchObject({ code: 'model-unavailable', class: 'retryable' });
  });

  test('a server that nobody runs is a fault that passes, and the failure names its address', async () => {
    const server = await startLoopback({ body: {} });
    await server[Symbol.asyncDispose]();
    const answer = await compatibleBrain(`${server.url}?key=hidden`).generate(requestWith());
    expect(answer).toMatchObject({
      status: 'failed',
      failure: { code: 'model-unavailable', details: { url: textLike('127.0.0.1') } },
    });
    expect(JSON.stringify(answer)).not.toContain('hidden');
  });

  test('a mistake in the code of a model is none of its provider, and a request that failed is none of its code', async () => {
    const thrownBy = async (error: Error): Promise<unknown> => {
      const doGenerate = async () => {
        throw error;
      };
      const model = { specificationVersion: 'v4' as const, provider: 'p', modelId: 'm', doGenerate };
      return brainFromModel(model).generate(requestWith());
    };
    expect(await thrownBy(new TypeError(`body of ${testKey} is undefined`))).toMatchObject({
      failure: { code: 'model-threw', message: 'The model object threw TypeError: body of [key] is undefined' },
    });
    expect(await thrownBy(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }))).toMatchObject({
      failure: { code: 'model-unavailable' },
    });
    expect(await thrownBy(new SyntaxError('Unexpected token <'))).toMatchObject({
      failure: { code: 'model-unavailable' },
    });
  });

  test('a missing key is a refusal that names the variable', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    const brain = brainFromModel(createOpenAI({ baseURL: 'http://127.0.0.1:1/v1' })('gpt-5'));
    const answer = await brain.generate(requestWith());
    expect(answer).toMatchObject({
      failure: { code: 'model-refused', class: 'fatal', message: textLike('OPENAI_API_KEY') },
    });
  });

  test('a key that the provider quotes is masked', async () => {
    const failure = await failureOf(
      { status: 401, body: errorBody(`Incorrect API key provided: ${testKey}.`) },
      openAiBrain,
    );
    expect(failure.message).toContain('[key]');
  });

  test('a message of any length is cut, with a remark', async () => {
    const failure = await failureOf({ status: 500, body: errorBody('x'.repeat(100_000)) });
    expect(failure.message.length).toBeLessThanOrEqual(2_000);
    expect(failure.message).toMatch(/characters left out\)$/);
  });
});

describe('aborting', () => {
  test('an abort ends a request that is under way', async () => {
    const controller = new AbortController();
    await using server = await startLoopback(() => controller.abort());
    const answer = await compatibleBrain(server.url).generate(requestWith({ signal: controller.signal }));
    expect(answer).toMatchObject({ status: 'failed', failure: { code: 'aborted' } });
  });

  test('after an abort nothing is sent', async () => {
    await using server = await startLoopback({ body: {} });
    const answer = await compatibleBrain(server.url).generate(requestWith({ signal: AbortSignal.abort() }));
    expect(answer).toMatchObject({ failure: { code: 'aborted' } });
    expect(server.requests).toEqual([]);
  });
});

describe('Retry-After', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  test.each([
    ['-1', undefined],
    ['soon', undefined],
    ['', undefined],
    ['1.5', 1_500],
    ['1e9', undefined],
    ['99999999999', 366 * 86_400_000],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ])('%j is %s', (value, expected) => {
    expect(retryAfterMs(new Map([['retry-after', value]]), nowMs)).toBe(expected);
  });
});
