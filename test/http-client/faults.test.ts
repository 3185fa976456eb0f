import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createHttpClient, type HttpClient } from '../../src/http-client/http-client.ts';
import type { HttpLimits } from '../../src/http-client/http-limits.ts';
import { failureOf } from './failure.ts';
import { always, type Answer, type RawServer, reply, startRawServer } from './raw-server.ts';

function clientOf(server: Pick<RawServer, 'port'>, limits: Partial<HttpLimits> = {}): HttpClient {
  return createHttpClient({ allow: [`127.0.0.1:${server.port}`, `127.0.0.2:${server.port}`], limits });
}

async function textOf(client: HttpClient, url: string, method = 'GET'): Promise<string> {
  return (await client.request({ url, method })).text();
}

/** Nothing of a request that is over may stay open. */
async function expectClosed(server: RawServer): Promise<void> {
  await expect.poll(() => server.open.size).toBe(0);
}

const chunkedHead = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

describe('a response', () => {
  test('comes whole, with status, headers and body, whatever its status', async () => {
    await using server = await startRawServer(always(418, { 'X-Kind': 'pot', 'set-cookie': 'a=b' }, 'short and stout'));
    const response = await clientOf(server).request({ url: `${server.url}/a?b=c%20d`, method: 'post', body: 'é' });
    expect([response.status, response.headers.get('x-kind'), response.headers.has('set-cookie')]).toEqual([
      418,
      'pot',
      false,
    ]);
    expect(await response.text()).toBe('short and stout');
    expect(server.requests[0]).toMatch(/^POST \/a\?b=c%20d HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/);
    expect(server.requests[0]).toMatch(/content-length: 2\r\n\r\nÃ©$/);
    await expectClosed(server);
  });

  test.each([
    ['gzip', gzipSync('packed')],
    ['br', brotliCompressSync('packed')],
  ])('in %s is unpacked', async (coding, body) => {
    await using server = await startRawServer(always(200, { 'content-encoding': coding }, body));
    expect(await textOf(clientOf(server), server.url)).toBe('packed');
  });

  test.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('to %s with %i has no body, whatever its headers say', async (method, status) => {
    await using server = await startRawServer((socket) =>
      socket.end(
        `HTTP/1.1 ${status} Any\r\ncontent-encoding: gzip\r\n${status === 200 ? 'content-length: 99\r\n' : ''}\r\n`,
      ),
    );
    expect(await textOf(clientOf(server), server.url, method)).toBe('');
    await expectClosed(server);
  });

  test.each(['gzip', 'br'])('of no bytes that says it is packed (%s) is empty', async (coding) => {
    await using server = await startRawServer(always(200, { 'content-encoding': coding }));
    expect(await textOf(clientOf(server), server.url)).toBe('');
  });

  test('that nobody reads is dropped by close, and by its time limit', async () => {
    await using server = await startRawServer((socket) => socket.write(chunkedHead));
    (await clientOf(server).request({ url: server.url })).close();
    await expectClosed(server);
    await clientOf(server, { totalTimeoutMs: 50 }).request({ url: server.url });
    await expectClosed(server);
  });

  test('whose reader leaves early is dropped', async () => {
    await using server = await startRawServer((socket) => socket.write(`${chunkedHead}3\r\nabc\r\n`));
    const response = await clientOf(server).request({ url: server.url });
    for await (const piece of response.body) {
      expect(Buffer.from(piece).toString()).toBe('abc');
      break;
    }
    await expectClosed(server);
  });

  test('in pieces comes as it comes', async () => {
    await using server = await startRawServer((socket) => {
      socket.write(`${chunkedHead}1\r\na\r\n`);
      setTimeout(() => socket.end('1\r\nb\r\n0\r\n\r\n'), 20);
    });
    expect(await textOf(clientOf(server), server.url)).toBe('ab');
  });
});

describe('a body that is too large', () => {
  const endless: Answer = (socket) => {
    socket.write(chunkedHead);
    const piece = Buffer.alloc(16_384, 'x');
    const more = (): void => {
      while (!socket.destroyed && socket.write(Buffer.concat([Buffer.from('4000\r\n'), piece, Buffer.from('\r\n')])));
    };
    socket.on('drain', more);
    more();
  };
  const oneMebibyte = gzipSync(Buffer.alloc(1_048_576), { level: 9 });
  const bomb = Buffer.concat(Array.from({ length: 1_024 }, () => oneMebibyte));

  test.each<[string, Answer]>([
    ['by what it says', (socket) => socket.write(reply(200, { 'content-length': '99999999' }, 'x'.repeat(200_000)))],
    ['without an end', endless],
    ['once it is unpacked (a gzip bomb of 1 GiB)', always(200, { 'content-encoding': 'gzip' }, bomb)],
    [
      'packed, and nothing when unpacked (empty gzip members)',
      always(200, { 'content-encoding': 'gzip' }, Buffer.concat(Array.from({ length: 20_000 }, () => gzipSync('')))),
    ],
  ])('%s: it is dropped at the limit, with code and evidence', async (_, answer) => {
    await using server = await startRawServer(answer);
    const before = process.memoryUsage().rss;
    const error = await failureOf(textOf(clientOf(server, { maxResponseBytes: 100_000 }), server.url, 'POST'));
    expect(error).toMatchObject({ code: 'limit-exceeded', class: 'recoverable', effect: 'possible' });
    expect(error.message).toContain('100000 bytes');
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_048_576);
    await expectClosed(server);
  });

  test('headers too', async () => {
    await using server = await startRawServer(always(200, { 'x-long': 'x'.repeat(50_000) }));
    const error = await failureOf(textOf(clientOf(server), server.url));
    expect(error).toMatchObject({ code: 'limit-exceeded', effect: 'possible' });
    await expectClosed(server);
  });

  test('a request too, which is not sent', async () => {
    await using server = await startRawServer(always(200));
    const request = clientOf(server, { maxRequestBytes: 10 }).request({
      url: server.url,
      method: 'POST',
      body: 'x'.repeat(11),
    });
    expect(await failureOf(request)).toMatchObject({ code: 'limit-exceeded', effect: 'none' });
    expect(server.connections).toBe(0);
  });
});

describe('a request that fails says whether anything was sent (H4)', () => {
  test('a port where nobody listens: nothing', async () => {
    const server = await startRawServer(always(200));
    await server[Symbol.asyncDispose]();
    const error = await failureOf(textOf(clientOf(server), server.url, 'POST'));
    expect(error).toMatchObject({ code: 'upstream-unavailable', class: 'retryable', effect: 'none' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  test.each<[string, Answer, string]>([
    ['a reset after the request', (socket) => socket.resetAndDestroy(), 'upstream-unavailable'],
    ['an end after the request', (socket) => socket.end(), 'upstream-unavailable'],
    [
      'a reset in the middle of the headers',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nx: ', () => socket.resetAndDestroy()),
      'upstream-unavailable',
    ],
    [
      'an end in the middle of the body',
      (socket) => socket.end(reply(200, { 'content-length': '10' }, 'abc')),
      'upstream-unavailable',
    ],
    ['an end in the middle of a chunk', (socket) => socket.end(`${chunkedHead}a\r\nabc`), 'upstream-unavailable'],
    ['what is not HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n'), 'response-unreadable'],
    [
      'two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\nx'),
      'response-unreadable',
    ],
    [
      'another protocol',
      (socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
      'upstream-unavailable',
    ],
  ])('%s: unknown', async (_, answer, code) => {
    await using server = await startRawServer(answer);
    const error = await failureOf(textOf(clientOf(server), server.url, 'POST'));
    expect(error).toMatchObject({ code, effect: 'unknown' });
    expect(server.requests).toHaveLength(1);
    await expectClosed(server);
  });

  test.each([
    ['that is damaged', 'gzip', Buffer.from('this is not gzip')],
    ['that is damaged in another way', 'br', Buffer.from('this is not brotli')],
    ['that is cut', 'gzip', gzipSync('x'.repeat(100)).subarray(0, 15)],
    ['of a kind that was not asked for', 'zstd', Buffer.from('x')],
    ['packed twice', 'gzip, gzip', gzipSync(gzipSync('x'))],
  ])('a packed body %s cannot be read', async (_, coding, body) => {
    await using server = await startRawServer(always(200, { 'content-encoding': coding }, body));
    const error = await failureOf(textOf(clientOf(server), server.url));
    expect(error).toMatchObject({ code: 'response-unreadable', effect: 'possible' });
  });

  test('an abort before the connection: nothing; after the request: unknown', async () => {
    await using server = await startRawServer(() => {});
    const before = clientOf(server).request({ url: server.url, method: 'POST', signal: AbortSignal.abort() });
    expect(await failureOf(before)).toMatchObject({ code: 'aborted', effect: 'none' });
    const controller = new AbortController();
    const after = failureOf(clientOf(server).request({ url: server.url, method: 'POST', signal: controller.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort();
    expect(await after).toMatchObject({ code: 'aborted', effect: 'unknown' });
    await expectClosed(server);
  });

  test('an abort in the middle of the body ends it', async () => {
    await using server = await startRawServer((socket) => socket.write(`${chunkedHead}1\r\na\r\n`));
    const controller = new AbortController();
    const response = await clientOf(server).request({ url: server.url, signal: controller.signal });
    const reading = failureOf(response.text());
    controller.abort();
    expect((await reading).code).toBe('aborted');
    await expectClosed(server);
  });
});

describe('time limits', () => {
  test('of the response, when the server says nothing', async () => {
    await using server = await startRawServer(() => {});
    const error = await failureOf(textOf(clientOf(server, { responseTimeoutMs: 60 }), server.url, 'POST'));
    expect(error).toMatchObject({ code: 'tool-timed-out', class: 'retryable', effect: 'unknown' });
    await expectClosed(server);
  });

  test('of the response, when its headers come letter by letter (slow loris)', async () => {
    await using server = await startRawServer((socket) =>
      drip(socket, 'HTTP/1.1 200 OK\r\nx-a: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'),
    );
    const error = await failureOf(textOf(clientOf(server, { responseTimeoutMs: 100 }), server.url));
    expect(error.message).toContain('no response within 100 ms');
    await expectClosed(server);
  });

  test('of a pause in the body', async () => {
    await using server = await startRawServer((socket) => socket.write(`${chunkedHead}1\r\na\r\n`));
    const error = await failureOf(textOf(clientOf(server, { idleTimeoutMs: 60 }), server.url));
    expect(error).toMatchObject({ code: 'tool-timed-out', effect: 'unknown' });
    await expectClosed(server);
  });

  test('of the whole, when the body comes letter by letter', async () => {
    await using server = await startRawServer((socket) => {
      socket.write(chunkedHead);
      drip(socket, '1\r\na\r\n'.repeat(200));
    });
    const error = await failureOf(textOf(clientOf(server, { totalTimeoutMs: 150, idleTimeoutMs: 5_000 }), server.url));
    expect(error.message).toContain('longer than 150 ms in all');
    await expectClosed(server);
  });

  test('of the connection, when TLS is not answered: nothing was sent', async () => {
    await using server = await startRawServer(() => {});
    const client = clientOf(server, { connectTimeoutMs: 60 });
    const error = await failureOf(textOf(client, server.url.replace('http:', 'https:'), 'POST'));
    expect(error).toMatchObject({ code: 'upstream-unavailable', effect: 'none' });
    await expectClosed(server);
  });

  test('of the resolver', async () => {
    const client = createHttpClient({ resolve: () => new Promise(() => {}), limits: { connectTimeoutMs: 30 } });
    expect(await failureOf(client.request({ url: 'http://slow.example/' }))).toMatchObject({
      code: 'tool-timed-out',
      effect: 'none',
    });
  });

  test('a reader that takes its time is not the fault of the server (B2)', async () => {
    await using server = await startRawServer(always(200, {}, 'x'.repeat(300_000)));
    const response = await clientOf(server, { idleTimeoutMs: 400 }).request({ url: server.url });
    let sizeBytes = 0;
    for await (const piece of response.body) {
      if (sizeBytes === 0) await new Promise((resolve) => setTimeout(resolve, 800));
      sizeBytes += piece.byteLength;
    }
    expect(sizeBytes).toBe(300_000);
  });
});

/** One letter every five milliseconds. */
function drip(socket: Parameters<Answer>[0], text: string): void {
  let index = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || index >= text.length) clearInterval(timer);
    else socket.write(text[index] ?? '');
    index += 1;
  }, 5);
}

describe('what may not be sent', () => {
  test.each<[string, Parameters<HttpClient['request']>[0]]>([
    ['a header that ends its line', { url: '', headers: { 'x-a': 'b\r\nx-evil: c' } }],
    ['a header beyond Latin-1', { url: '', headers: { 'x-a': '☃' } }],
    ['a name that is none', { url: '', headers: { 'x a': 'b' } }],
    ['the host', { url: '', headers: { Host: 'other.example' } }],
    ['the length', { url: '', headers: { 'Content-Length': '1' } }],
    ['the encoding of the transfer', { url: '', headers: { 'transfer-encoding': 'chunked' } }],
    ['a method that is none', { url: '', method: 'GET / HTTP/1.1\r\nx:' }],
    ['CONNECT', { url: '', method: 'CONNECT' }],
  ])('%s', async (_, request) => {
    await using server = await startRawServer(always(200));
    const error = await failureOf(clientOf(server).request({ ...request, url: server.url }));
    expect(error).toMatchObject({ code: 'configuration-invalid', effect: 'none' });
    expect(server.connections).toBe(0);
  });
});

describe('Retry-After', () => {
  const date = new Date(Date.now() + 90_000).toUTCString();
  test.each([
    ['seconds', { 'retry-after': '120' }, 120_000],
    ['zero', { 'retry-after': '0' }, 0],
    ['a date that is past', { 'retry-after': 'Fri, 01 Jan 2016 00:00:00 GMT' }, 0],
    [
      'a date, against the date of the response',
      { 'retry-after': 'Fri, 01 Jan 2016 00:01:30 GMT', date: 'Fri, 01 Jan 2016 00:00:00 GMT' },
      90_000,
    ],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
  ])('%s', async (_, headers, expected) => {
    await using server = await startRawServer(always(429, headers));
    const response = await clientOf(server).request({ url: server.url });
    expect(response.retryAfterMs).toBe(expected);
    response.close();
  });

  test('a date, against the clock', async () => {
    await using server = await startRawServer(always(503, { 'retry-after': date }));
    const response = await clientOf(server).request({ url: server.url });
    expect(response.retryAfterMs).toBeGreaterThan(85_000);
    expect(response.retryAfterMs).toBeLessThanOrEqual(90_000);
    response.close();
  });
});
