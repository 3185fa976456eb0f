import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { AxleError, ToolError } from '../../src/axle.ts';
import { classify } from '../../src/execute/classify.ts';

const thrownBy = async (action: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await action();
  } catch (error) {
    return error;
  }
};
const withStatus = (status: number, more: object = {}) =>
  Object.assign(new Error(`HTTP ${status}`), { status, ...more });

describe('what a tool threw (T7): its class, and what it proves about the effect', () => {
  it('a connection that is refused is worth another try of a read, and proves nothing of what the tool did before', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const failure = classify(await thrownBy(() => fetch(`http://127.0.0.1:${port}/`)));
    expect(failure).toMatchObject({ code: 'upstream-unavailable', class: 'retryable', evidence: 'possible' });
    expect(failure.message).toContain('ECONNREFUSED');
  });

  it('a connection that breaks off after the request proves nothing', async () => {
    const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const failure = classify(await thrownBy(() => fetch(`http://127.0.0.1:${port}/`)));
    await new Promise((resolve) => server.close(resolve));
    expect(failure).toMatchObject({ code: 'upstream-unavailable', class: 'retryable', evidence: 'unknown' });
  });

  it.each([
    [400, 'tool-failed', 'recoverable', 'possible'],
    [401, 'authorization-required', 'fatal', 'possible'],
    [403, 'authorization-required', 'fatal', 'possible'],
    [404, 'tool-failed', 'recoverable', 'possible'],
    [408, 'upstream-unavailable', 'retryable', 'unknown'],
    [429, 'upstream-rate-limited', 'retryable', 'possible'],
    [500, 'upstream-unavailable', 'retryable', 'unknown'],
    [503, 'upstream-unavailable', 'retryable', 'unknown'],
  ])('HTTP %i is %s, %s, evidence %s', (status, code, errorClass, evidence) => {
    expect(classify(withStatus(status))).toMatchObject({ code, class: errorClass, evidence });
    expect(classify(new Error('wrapped', { cause: { statusCode: status } }))).toMatchObject({ code, evidence });
  });

  it('a time to come back is kept when it is one', () => {
    expect(classify(withStatus(503, { retryAfterMs: 2_000 }))).toMatchObject({
      evidence: 'unknown',
      retryAfterMs: 2_000,
    });
    for (const retryAfterMs of [Number.NaN, -1, Infinity, '5']) {
      expect(classify(withStatus(503, { retryAfterMs }))).not.toHaveProperty('retryAfterMs');
    }
    expect(classify(new ToolError({ message: 'later', retryAfterMs: Number.NaN }))).not.toHaveProperty('retryAfterMs');
  });

  const nowMs = Date.parse('Fri, 01 Jan 2016 00:00:00 GMT');
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Fri, 01 Jan 2016 00:01:30 GMT', 90_000],
    ['Thu, 31 Dec 2015 23:59:00 GMT', 0],
    ['soon', undefined],
  ])(
    'a response that says Retry-After: %s is asked again after %s ms, wherever the error carries it (C087)',
    (value, expected) => {
      const headers = { 'Retry-After': value };
      for (const more of [
        { response: { status: 429, headers: new Headers(headers) } },
        { status: 503, headers },
        { statusCode: 429, responseHeaders: headers },
        { status: 429, headers: new Map(Object.entries({ 'retry-after': value })) },
      ]) {
        const { retryAfterMs } = classify(Object.assign(new Error('later'), more), nowMs);
        expect(retryAfterMs).toBe(expected);
      }
    },
  );

  it('what cannot even be read is a plain failure', () => {
    const hostile = new Proxy(new Error('x'), {
      get: () => {
        throw new Error('trap');
      },
    });
    for (const thrown of [hostile, Symbol('s'), () => {}, null, 0, Object.create(null)]) {
      const failure = classify(thrown);
      expect(failure).toMatchObject({ code: 'tool-failed', evidence: 'possible' });
      expect(typeof failure.message).toBe('string');
    }
  });

  it('a plain throw may have been anywhere, and is worth no second try by itself', () => {
    expect(classify(new Error('boom'))).toMatchObject({
      code: 'tool-failed',
      class: 'recoverable',
      evidence: 'possible',
      message: 'boom',
    });
    expect(classify('boom')).toMatchObject({ code: 'tool-failed', message: 'boom' });
    expect(classify(undefined)).toMatchObject({ code: 'tool-failed' });
  });

  it('the word of the tool itself counts before everything else', () => {
    const error = new ToolError({
      code: 'sold-out',
      message: 'Sold out.',
      class: 'fatal',
      effect: 'none',
      advice: 'Offer another one.',
      cause: withStatus(500),
    });
    expect(classify(error)).toMatchObject({
      code: 'sold-out',
      class: 'fatal',
      evidence: 'none',
      advice: 'Offer another one.',
    });
  });

  it('an AxleError keeps its code, and a cause that contains itself ends', () => {
    expect(classify(new AxleError('mcp-unavailable', 'gone', { effectMayHaveHappened: true }))).toMatchObject({
      code: 'mcp-unavailable',
      evidence: 'unknown',
    });
    const loop: { cause?: unknown } = new Error('loop');
    loop.cause = loop;
    expect(classify(loop)).toMatchObject({ code: 'tool-failed' });
  });
});
