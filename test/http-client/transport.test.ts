import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createHttpClient } from '../../src/http-client/http-client.ts';
import { guardedFetch } from '../../src/http-client/guarded-fetch.ts';
import { secret } from '../../src/http-client/secret.ts';
import { failureOf } from './failure.ts';
import { always, reply, startRawServer } from './raw-server.ts';

const key = readFileSync(new URL('fixtures/key.pem', import.meta.url), 'utf8');
const cert = readFileSync(new URL('fixtures/cert.pem', import.meta.url), 'utf8');
const resolve = async (): Promise<readonly string[]> => ['127.0.0.1'];

describe('https', () => {
  test('is for the host of the URL, at the address that was checked', async () => {
    await using server = await startRawServer(always(200, {}, 'secure'), { tls: { key, cert } });
    const client = createHttpClient({ allow: ['127.0.0.1'], resolve, ca: cert });
    expect(await (await client.request({ url: `https://secure.example:${server.port}/` })).text()).toBe('secure');
    expect(await (await client.request({ url: `${server.url}/` })).text()).toBe('secure');
  });

  test.each([
    ['another host than the certificate is for', 'other.example', cert],
    ['a certificate that nobody vouches for', 'secure.example', undefined],
  ])('to %s: nothing is sent, and no time helps', async (_, host, ca) => {
    await using server = await startRawServer(always(200), { tls: { key, cert } });
    const client = createHttpClient({ allow: ['127.0.0.1'], resolve, ...(ca === undefined ? {} : { ca }) });
    const error = await failureOf(
      client.request({ url: `https://${host}:${server.port}/`, method: 'POST', body: 'x' }),
    );
    expect(error).toMatchObject({ code: 'upstream-unavailable', class: 'fatal', effect: 'none' });
    expect(server.requests).toEqual([]);
  });

  test('to a server that speaks no TLS: nothing is sent', async () => {
    await using server = await startRawServer((socket) => socket.end('no'), {
      onConnection: (socket) => socket.end('220 hello\r\n'),
    });
    const client = createHttpClient({ allow: ['127.0.0.1'], resolve });
    const error = await failureOf(client.request({ url: `https://secure.example:${server.port}/`, method: 'POST' }));
    expect(error).toMatchObject({ code: 'upstream-unavailable', class: 'retryable', effect: 'none' });
  });

  test('is not left for http by a redirect (R4)', async () => {
    await using plain = await startRawServer(always(200));
    await using server = await startRawServer(always(302, { location: plain.url }), { tls: { key, cert } });
    const client = createHttpClient({ allow: ['127.0.0.1'], resolve, ca: cert });
    const error = await failureOf(client.request({ url: server.url }));
    expect(error).toMatchObject({ code: 'redirect-refused', effect: 'possible' });
    expect(plain.connections).toBe(0);
  });
});

describe('what the environment says', () => {
  const run = promisify(execFile);
  const program = (url: string): string => `
    import { createHttpClient } from ${JSON.stringify(new URL('../../src/http-client.ts', import.meta.url).href)};
    const client = createHttpClient({ allow: ['127.0.0.1'], resolve: async () => ['127.0.0.1'] });
    try { console.log(await (await client.request({ url: ${JSON.stringify(url)} })).text()); }
    catch (error) { console.log(error.code, error.class, error.effect); }
  `;

  test('about proxies is not heard', async () => {
    await using proxy = await startRawServer(always(200, {}, 'from the proxy'));
    await using server = await startRawServer(always(200, {}, 'from the server'));
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy', 'HTTPS_PROXY', 'https_proxy'];
    const env = { ...Object.fromEntries(names.map((name) => [name, proxy.url])), NODE_USE_ENV_PROXY: '1' };
    const url = `http://plain.example:${server.port}/`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program(url)], { env });
    expect(stdout.trim()).toBe('from the server');
    expect(proxy.connections).toBe(0);
  });

  test('against certificates is not heard (D2)', async () => {
    await using server = await startRawServer(always(200, {}, 'secure'), { tls: { key, cert } });
    const url = `https://secure.example:${server.port}/`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program(url)], {
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });
    expect(stdout.trim()).toBe('upstream-unavailable fatal none');
  });
});

describe('a redirect', () => {
  const client = createHttpClient({ allow: ['127.0.0.1'], resolve });

  test.each([
    ['POST', 303, 'GET', ''],
    ['DELETE', 303, 'GET', ''],
    ['GET', 301, 'GET', ''],
    ['GET', 302, 'GET', ''],
    ['HEAD', 303, 'HEAD', ''],
    ['POST', 307, 'POST', 'body'],
    ['PATCH', 308, 'PATCH', 'body'],
  ])('of %s with %i goes on as %s', async (method, status, then, body) => {
    await using server = await startRawServer((socket, text) =>
      socket.end(text.includes('/new') ? reply(204) : reply(status, { location: 'new' })),
    );
    const isRead = method === 'GET' || method === 'HEAD';
    const headers = isRead ? {} : { 'content-type': 'text/plain' };
    const request = { url: `${server.url}/old`, method, headers, ...(isRead ? {} : { body: 'body' }) };
    const response = await client.request(request);
    expect([response.status, response.url]).toEqual([204, `${server.url}/new`]);
    expect(server.requests[1]).toMatch(new RegExp(`^${then} /new HTTP`));
    expect(server.requests[1]?.split('\r\n\r\n')[1]).toBe(body);
    expect(server.requests[1]?.includes('content-type')).toBe(body !== '');
  });

  test.each([
    ['POST', 301],
    ['POST', 302],
    ['PUT', 302],
    ['DELETE', 301],
  ])('of %s with %i is not followed: it would become a read that answers in its place (R2)', async (method, status) => {
    await using server = await startRawServer(always(status, { location: '/new' }));
    const error = await failureOf(client.request({ url: server.url, method, body: 'x' }));
    expect(error).toMatchObject({ code: 'redirect-refused', effect: 'possible' });
    expect(server.requests).toHaveLength(1);
  });

  test('of a body to another origin is not followed (R3)', async () => {
    await using other = await startRawServer(always(200));
    await using server = await startRawServer(always(307, { location: other.url }));
    const error = await failureOf(client.request({ url: server.url, method: 'POST', body: 'x' }));
    expect(error.code).toBe('redirect-refused');
    expect(other.connections).toBe(0);
  });

  test('without end is ended, with all connections closed', async () => {
    await using server = await startRawServer(always(302, { location: '/again' }));
    const error = await failureOf(client.request({ url: server.url, limits: { maxRedirects: 3 } }));
    expect(error).toMatchObject({ code: 'redirect-refused', class: 'fatal' });
    expect(server.requests).toHaveLength(4);
    await expect.poll(() => server.open.size).toBe(0);
  });

  test('is a response like any other where none is followed, or where it leads nowhere', async () => {
    await using server = await startRawServer(always(302, { location: '/again' }, 'moved'));
    const response = await client.request({ url: server.url, limits: { maxRedirects: 0 } });
    expect([response.status, await response.text()]).toEqual([302, 'moved']);
    await using nowhere = await startRawServer(always(304));
    expect((await client.request({ url: nowhere.url })).status).toBe(304);
  });

  test('whose next hop cannot be reached does not say that nothing was sent (H4)', async () => {
    const gone = await startRawServer(always(200));
    await gone[Symbol.asyncDispose]();
    await using server = await startRawServer(always(303, { location: gone.url }));
    const error = await failureOf(client.request({ url: server.url, method: 'POST', body: 'x' }));
    expect(error).toMatchObject({ code: 'upstream-unavailable', effect: 'possible' });
  });
});

describe('as fetch', () => {
  const client = createHttpClient({ allow: ['127.0.0.1'], resolve, secrets: () => 'hush' });

  test('it gives what fetch gives', async () => {
    await using server = await startRawServer((socket, text) =>
      socket.end(reply(201, { 'content-type': 'application/json', 'x-a': 'b' }, JSON.stringify({ text }))),
    );
    const fetch = guardedFetch(client, { origin: server.url, credentials: [{ kind: 'bearer', token: secret('ANY') }] });
    const response = await fetch(`${server.url}/a`, {
      method: 'POST',
      body: JSON.stringify({ c: 1 }),
      headers: { 'X-D': 'e' },
    });
    const { text } = (await response.json()) as { text: string };
    expect([response.status, response.headers.get('x-a')]).toEqual([201, 'b']);
    expect(text).toMatch(/^POST \/a [^]*x-d: e\r\n[^]*Bearer hush[^]*\{"c":1\}$/);
  });

  test('credentials go to their origin only', async () => {
    await using server = await startRawServer(always(204));
    const fetch = guardedFetch(client, {
      origin: 'https://api.example.com',
      credentials: [{ kind: 'bearer', token: secret('ANY') }],
    });
    expect((await fetch(server.url)).status).toBe(204);
    expect(server.requests[0]).not.toContain('hush');
  });

  test('a body streams, and an abort ends it', async () => {
    await using server = await startRawServer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\ndata:\r\n'),
    );
    const controller = new AbortController();
    const response = await guardedFetch(client)(server.url, { signal: controller.signal });
    const reader = response.body?.getReader();
    const piece: Uint8Array | undefined = (await reader?.read())?.value;
    expect(Buffer.from(piece ?? []).toString()).toBe('data:');
    controller.abort();
    await expect(reader?.read()).rejects.toMatchObject({ code: 'aborted' });
    await expect.poll(() => server.open.size).toBe(0);
  });

  test('a body that is cancelled drops the connection', async () => {
    await using server = await startRawServer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\ndata:\r\n'),
    );
    const response = await guardedFetch(client)(server.url);
    await response.body?.cancel();
    await expect.poll(() => server.open.size).toBe(0);
  });

  test('what is refused is refused', async () => {
    expect(await failureOf(guardedFetch(client)('http://10.0.0.1/'))).toMatchObject({ code: 'url-refused' });
  });

  test('a redirect is left to the caller on request', async () => {
    await using server = await startRawServer(always(302, { location: '/x' }));
    expect((await guardedFetch(client)(server.url, { redirect: 'manual' })).status).toBe(302);
  });
});
