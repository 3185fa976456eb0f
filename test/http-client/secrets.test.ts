import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createHttpClient, type HttpRequest } from '../../src/http-client/http-client.ts';
import { secret } from '../../src/http-client/secret.ts';
import { failureOf } from './failure.ts';
import { always, reply, startRawServer } from './raw-server.ts';

const values: Readonly<Record<string, string>> = {
  TOKEN: 'tok-4f9d+/="quoted"',
  PASSWORD: 'pass word:7',
  BROKEN: 'line\r\nx-evil: 1',
  SNOW: 'value-☃',
  EMPTY: '',
};
const secrets = (name: string): string | undefined => values[name];

const everywhere: HttpRequest['credentials'] = [
  { kind: 'bearer', token: secret('TOKEN') },
  { kind: 'header', name: 'X-Api-Key', value: secret('TOKEN'), prefix: 'key ' },
  { kind: 'query', name: 'api key', value: secret('TOKEN') },
  { kind: 'cookie', name: 'session', value: secret('TOKEN') },
];

/** Nothing that can be seen of a value may hold a secret, in any spelling. */
function expectNoSecret(seen: unknown): void {
  const text = `${inspect(seen, { depth: 20, showHidden: true })}\n${JSON.stringify(seen)}`;
  for (const value of [values['TOKEN'] ?? '', values['PASSWORD'] ?? '']) {
    const spellings = [
      value,
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
      Buffer.from(value).toString('base64'),
      Buffer.from(`user:${value}`).toString('base64'),
    ];
    for (const spelling of spellings) expect(text).not.toContain(spelling);
  }
}

describe('a secret', () => {
  test('is sent where its credential says', async () => {
    await using server = await startRawServer(always(200));
    const client = createHttpClient({ allow: ['127.0.0.1'], secrets });
    const request = { url: `${server.url}/a?b=%20c`, headers: { cookie: 'own=1' }, credentials: everywhere };
    (await client.request(request)).close();
    const [sent = ''] = server.requests;
    expect(sent).toContain('GET /a?b=%20c&api%20key=tok-4f9d%2B%2F%3D%22quoted%22 HTTP/1.1');
    expect(sent).toContain(`authorization: Bearer ${values['TOKEN']}\r\n`);
    expect(sent).toContain(`x-api-key: key ${values['TOKEN']}\r\n`);
    expect(sent).toContain('cookie: own=1; session=tok-4f9d%2B%2F%3D%22quoted%22\r\n');
  });

  test('in basic authentication is the password of a user', async () => {
    await using server = await startRawServer(always(200));
    const client = createHttpClient({ allow: ['127.0.0.1'], secrets });
    const credentials: HttpRequest['credentials'] = [{ kind: 'basic', username: 'user', password: secret('PASSWORD') }];
    (await client.request({ url: server.url, credentials })).close();
    expect(server.requests[0]).toContain(
      `authorization: Basic ${Buffer.from('user:pass word:7').toString('base64')}\r\n`,
    );
  });

  test('is looked up for each request, so a new value is used at once', async () => {
    await using server = await startRawServer(always(200));
    let count = 0;
    const client = createHttpClient({ allow: ['127.0.0.1'], secrets: async () => `value-${(count += 1)}` });
    const credentials: HttpRequest['credentials'] = [{ kind: 'bearer', token: secret('ANY') }];
    (await client.request({ url: server.url, credentials })).close();
    (await client.request({ url: server.url, credentials })).close();
    expect(server.requests.map((text) => /Bearer (.*)\r/.exec(text)?.[1])).toEqual(['value-1', 'value-2']);
  });

  test('is an environment variable unless something else is said', async () => {
    await using server = await startRawServer(always(200));
    process.env['AXLE_TEST_SECRET'] = 'from-the-environment';
    const client = createHttpClient({ allow: ['127.0.0.1'] });
    const credentials: HttpRequest['credentials'] = [{ kind: 'bearer', token: secret('AXLE_TEST_SECRET') }];
    (await client.request({ url: server.url, credentials })).close();
    delete process.env['AXLE_TEST_SECRET'];
    expect(server.requests[0]).toContain('Bearer from-the-environment');
  });

  test.each(['MISSING', 'EMPTY', 'BROKEN', 'SNOW'])(
    'that cannot be sent (%s) is refused by its name, and nothing is sent',
    async (name) => {
      await using server = await startRawServer(always(200));
      const client = createHttpClient({ allow: ['127.0.0.1'], secrets });
      const credentials: HttpRequest['credentials'] = [{ kind: 'bearer', token: secret(name) }];
      const error = await failureOf(client.request({ url: server.url, method: 'POST', credentials }));
      expect(error).toMatchObject({ effect: 'none' });
      expect(error.message).toMatch(name === 'SNOW' ? /header authorization/ : new RegExp(name));
      expect(inspect(error)).not.toMatch(/evil|☃/);
      expect(server.connections).toBe(0);
    },
  );

  test('that cannot be looked up is refused without what its store said; after a redirect it is not said that nothing was sent', async () => {
    await using server = await startRawServer(always(302, { location: '/next' }));
    let count = 0;
    const client = createHttpClient({
      allow: ['127.0.0.1'],
      secrets: () => {
        count += 1;
        if (count === 2) throw new Error('vault says hush-value');
        return 'value';
      },
    });
    const credentials: HttpRequest['credentials'] = [{ kind: 'bearer', token: secret('ANY') }];
    const error = await failureOf(client.request({ url: server.url, credentials }));
    expect(error).toMatchObject({ code: 'secret-unusable', effect: 'possible' });
    expect(inspect(error)).not.toContain('hush-value');
  });

  test.each<[string, (socketText: string) => string | Buffer]>([
    ['echoed in a body', (text) => reply(200, {}, text)],
    ['echoed in a body as JSON', (text) => reply(200, {}, JSON.stringify({ text }))],
    ['echoed in a header', (text) => reply(200, { link: `<http://a/${/GET (\S+)/.exec(text)?.[1]}>; rel="next"` })],
    ['echoed in what is not HTTP', (text) => text],
    [
      'echoed in a header that is too large',
      (text) => reply(200, { 'x-echo': text.replaceAll('\r\n', ' ').repeat(200) }),
    ],
    ['echoed in a redirect', (text) => reply(302, { location: `http://10.0.0.1/${/GET (\S+)/.exec(text)?.[1]}` })],
    ['echoed in its encoding', (text) => reply(200, { 'content-encoding': /Bearer (.*)\r/.exec(text)?.[1] ?? '' })],
    ['sent to a server that is gone', () => ''],
  ])('%s is in nothing that comes out (S1)', async (_, answer) => {
    await using server = await startRawServer((socket, text) => socket.end(answer(text)));
    const client = createHttpClient({ allow: [`127.0.0.1:${server.port}`], secrets });
    const credentials: HttpRequest['credentials'] = [
      ...everywhere.slice(1),
      { kind: 'bearer', token: secret('TOKEN') },
    ];
    let seen: unknown;
    try {
      const response = await client.request({ url: `${server.url}/a`, credentials });
      seen = { response, headers: [...response.headers], text: await response.text() };
    } catch (error) {
      seen = error;
    }
    expect(server.requests[0]).toContain('tok-4f9d');
    expectNoSecret(seen);
  });

  test('is not in JSON that escapes slashes, as that of PHP does (S1)', async () => {
    await using server = await startRawServer((socket, text) =>
      socket.end(reply(200, {}, JSON.stringify({ text }).replaceAll('/', String.raw`\/`))),
    );
    const client = createHttpClient({ allow: ['127.0.0.1'], secrets });
    const credentials: HttpRequest['credentials'] = [{ kind: 'bearer', token: secret('TOKEN') }];
    const response = await client.request({ url: server.url, credentials });
    const read: unknown = JSON.parse(await response.text());
    expect(JSON.stringify(read)).toContain('Bearer [secret TOKEN]');
    expectNoSecret(read);
  });

  test('is replaced by its name in any text', async () => {
    await using server = await startRawServer(always(200));
    const client = createHttpClient({ allow: ['127.0.0.1'], secrets });
    (await client.request({ url: server.url, credentials: everywhere })).close();
    expect(client.redact(`a ${values['TOKEN']} b`)).toBe('a [secret TOKEN] b');
  });
});

test('a request that goes to another origin takes no credential with it, and none comes back (R1)', async () => {
  await using other = await startRawServer((socket, text) =>
    socket.end(
      text.includes('/first') ? reply(302, { location: '/second' }) : reply(302, { location: `${home.url}/back` }),
    ),
  );
  await using home = await startRawServer((socket, text) =>
    socket.end(text.includes('/back') ? reply(200, {}, 'done') : reply(302, { location: `${other.url}/first` })),
  );
  const client = createHttpClient({ allow: ['127.0.0.1'], secrets });
  const headers = { accept: 'text/plain', authorization: 'Bearer plain', cookie: 'plain=1', 'x-plain': 'private' };
  const response = await client.request({ url: `${home.url}/start`, headers, credentials: everywhere });
  expect(await response.text()).toBe('done');
  expect(home.requests[0]).toContain('tok-4f9d');
  for (const text of [...other.requests, home.requests[1] ?? '']) {
    expect(text).not.toMatch(/tok-4f9d|plain=1|Bearer|x-plain|api key|api%20key/);
    expect(text).toContain('accept: text/plain');
  }
});

test('within its origin a redirect keeps its credentials', async () => {
  await using server = await startRawServer((socket, text) =>
    socket.end(text.includes('/new') ? reply(200, {}, 'new') : reply(308, { location: '/new' })),
  );
  const client = createHttpClient({ allow: ['127.0.0.1'], secrets });
  const response = await client.request({ url: server.url, method: 'PUT', body: 'x', credentials: everywhere });
  expect(await response.text()).toBe('new');
  expect(server.requests[1]).toMatch(/^PUT \/new\?api%20key=tok.* HTTP\/1\.1[^]*Bearer tok-[^]*\r\n\r\nx$/);
});
