import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { agent } from '../../src/run/agent.ts';
import { createAxle } from '../../src/facade/create-axle.ts';
import { secret } from '../../src/http-client/secret.ts';
import { scriptedBrain } from '../../src/testing/scripted-brain.ts';
import { failureOf } from '../http-client/failure.ts';
import { always, type Answer, reply } from '../http-client/raw-server.ts';
import { json, startService } from './service.ts';

const things = (parameters: readonly object[] = [], responses: object = {}): object => ({
  '/things': {
    get: { operationId: 'list', parameters, responses },
    post: { operationId: 'make', responses, requestBody: { content: { 'application/json': {} } } },
  },
});

describe('a response', () => {
  test.each<[string, Answer, unknown]>([
    ['JSON', json(201, { a: [1, null] }), { status: 201, body: { a: [1, null] } }],
    [
      'JSON of another kind',
      always(200, { 'content-type': 'application/hal+json; charset=utf-8' }, '[1]'),
      { status: 200, body: [1] },
    ],
    ['text', always(200, { 'content-type': 'text/csv' }, 'a,b\n1,2'), { status: 200, body: 'a,b\n1,2' }],
    [
      'text in another charset',
      always(200, { 'content-type': 'text/plain; charset=ISO-8859-1' }, Buffer.from('caf\u00e9', 'latin1')),
      { status: 200, body: 'caf\u00e9' },
    ],
    ['nothing', always(204), { status: 204, body: null }],
    [
      'bytes, without a folder',
      always(200, { 'content-type': 'image/png' }, Buffer.from([1])),
      { status: 200, body: { contentType: 'image/png', sizeBytes: 1, sha256: expect.any(String) } },
    ],
    [
      'identifiers that a number cannot hold (J1)',
      always(
        200,
        { 'content-type': 'application/json' },
        '{"id":12345678901234567890,"n":-9007199254740993,"m":9007199254740991,"x":1.5}',
      ),
      { status: 200, body: { id: '12345678901234567890', n: '-9007199254740993', m: 9007199254740991, x: 1.5 } },
    ],
  ])('of %s', async (_, answer, expected) => {
    await using service = await startService(things(), { answer });
    expect(await service.call('list', {})).toEqual(expected);
  });

  test.each([
    ['deep', '['.repeat(500_000)],
    ['deep and closed', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ])('of JSON that is too %s is a failure, and no crash', async (_, body) => {
    await using service = await startService(things(), {
      answer: always(200, { 'content-type': 'application/json' }, body),
    });
    await using axle = await createAxle({ store: ':memory:', tools: [service.source], log: () => {} });
    expect(await axle.call('api.make', {})).toMatchObject({ status: 'failed' });
  });

  test('that says it is JSON and is not is a failure after which nobody knows more than that it answered', async () => {
    await using service = await startService(things(), {
      answer: always(200, { 'content-type': 'application/json' }, '<html>'),
    });
    expect(await failureOf(service.call('make', {}))).toMatchObject({
      code: 'response-unreadable',
      effect: 'possible',
    });
  });

  test.each<[string, Answer]>([
    ['large', json(200, 'x'.repeat(1_100_000))],
    [
      'large once it is unpacked',
      always(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }, gzipSync('x'.repeat(9_000_000))),
    ],
  ])('that is too %s for the journal is dropped, and the model is told to ask for less', async (_, answer) => {
    await using service = await startService(things(), { answer });
    const error = await failureOf(service.call('list', {}));
    expect(error).toMatchObject({ code: 'limit-exceeded', advice: expect.stringContaining('Ask for less') });
  });

  test('is held to its schema on request', async () => {
    const content = {
      'application/json': {
        schema: {
          type: 'object',
          properties: { id: { type: 'integer' }, secret: { writeOnly: true } },
          required: ['id', 'secret'],
        },
      },
    };
    await using service = await startService(things([], { 200: { content } }), { checkResponses: true });
    const [list] = service.contracts;
    expect(list?.output?.check({ status: 200, body: { id: 1 } }).ok).toBe(true);
    expect(list?.output?.check({ status: 200, body: { id: 'x' } }).ok).toBe(false);
    await using loose = await startService(things([], { 200: { content } }));
    expect(loose.contracts[0]?.output).toBeUndefined();
  });
});

describe('a status that is no success', () => {
  test.each<[number, string, string, string]>([
    [302, 'tool-failed', 'recoverable', 'possible'],
    [400, 'tool-failed', 'recoverable', 'possible'],
    [401, 'authorization-required', 'fatal', 'none'],
    [403, 'authorization-required', 'fatal', 'possible'],
    [404, 'tool-failed', 'recoverable', 'possible'],
    [405, 'tool-failed', 'recoverable', 'none'],
    [408, 'upstream-unavailable', 'retryable', 'unknown'],
    [409, 'tool-failed', 'recoverable', 'possible'],
    [422, 'tool-failed', 'recoverable', 'possible'],
    [425, 'upstream-unavailable', 'retryable', 'none'],
    [429, 'upstream-rate-limited', 'retryable', 'none'],
    [500, 'upstream-unavailable', 'retryable', 'unknown'],
    [503, 'upstream-unavailable', 'retryable', 'unknown'],
  ])('%i is %s, %s, evidence %s (Q1, Q2)', async (status, code, errorClass, effect) => {
    await using service = await startService(things(), { answer: json(status, {}) });
    expect(await failureOf(service.call('make', {}))).toMatchObject({ code, class: errorClass, effect });
  });

  test('a refused login has calls wait for a person where the source says so, all operations for one (T7)', async () => {
    const answer = json(401, { message: 'expired' });
    await using service = await startService(things(), { answer, authorization: 'ask' });
    await using axle = await createAxle({ store: ':memory:', tools: service.contracts });
    const on = { kind: 'authorization', upstream: 'api', message: expect.stringContaining('expired') as unknown };
    expect(await axle.call('api.make', {})).toMatchObject({ status: 'waiting', on: [on] });
    expect(await axle.call('api.list', {})).toMatchObject({ status: 'waiting', on: [on] });
  });

  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['zero', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': 'Fri, 01 Jan 2016 00:00:20 GMT', date: 'Fri, 01 Jan 2016 00:00:00 GMT' }, 20_000],
  ])('says how long to wait in %s', async (_, headers, retryAfterMs) => {
    await using service = await startService(things(), { answer: json(503, {}, headers) });
    expect((await failureOf(service.call('list', {}))).retryAfterMs).toBe(retryAfterMs);
  });

  test.each<[string, unknown, string]>([
    ['RFC 9457', { type: 'about:blank', title: 'Bad.', detail: 'Name is short.' }, 'Bad.; Name is short.'],
    ['message', { message: 'No such thing.', documentation_url: 'http://a' }, 'No such thing.'],
    [
      'an error inside',
      { error: { code: 'x1', message: 'Card declined.', param: 'card' } },
      'Card declined.; x1; card',
    ],
    ['a list', { errors: [{ field: 'name', message: 'is short' }, 'more'] }, 'is short; name; more'],
    ['another form', { fault: { faultstring: 'odd' } }, '{"fault":{"faultstring":"odd"}}'],
    ['text', 'plain   words\n', 'plain words'],
  ])('tells the model what the service says: %s (Q3)', async (_, body, words) => {
    const answer = typeof body === 'string' ? always(400, { 'content-type': 'text/plain' }, body) : json(400, body);
    await using service = await startService(things(), { answer });
    expect((await failureOf(service.call('list', {}))).message).toBe(
      `api.list answered 400. The service says: ${words}`,
    );
  });

  test('tells at most a thousand characters of it', async () => {
    await using service = await startService(things(), { answer: json(400, { message: 'x'.repeat(50_000) }) });
    expect((await failureOf(service.call('list', {}))).message.length).toBeLessThan(1_100);
  });

  test('with a body that is no JSON although it says so is told all the same', async () => {
    await using service = await startService(things(), {
      answer: always(502, { 'content-type': 'application/json' }, '<html>Bad gateway</html>'),
    });
    expect((await failureOf(service.call('list', {}))).message).toContain('Bad gateway');
  });
});

describe('where a list goes on, the model is given the arguments of the next page', () => {
  const query = (name: string, type = 'string'): object => ({ in: 'query', name, schema: { type } });

  test.each<[string, readonly object[], object, unknown, Readonly<Record<string, string>>, object | undefined]>([
    [
      'a Link header',
      [query('page', 'integer'), query('per_page', 'integer')],
      { per_page: 30 },
      [],
      { link: '<http://a/things?page=1>; rel="prev", <http://a/things?page=3&per_page=30>; rel="next"' },
      { page: 3 },
    ],
    [
      'a Link header with several relations',
      [query('page')],
      {},
      [],
      { link: '</things?page=2>; title="a"; rel="last next"' },
      { page: '2' },
    ],
    [
      'a Link header without a next page',
      [query('page')],
      {},
      [],
      { link: '<http://a/things?page=1>; rel="prev"; title="next"' },
      undefined,
    ],
    [
      'a link to what the operation has no parameter for',
      [query('state')],
      {},
      [],
      { link: '<http://a/things?cursor=2>; rel="next"' },
      undefined,
    ],
    ['a cursor', [query('cursor')], { cursor: 'a' }, { items: [], next_cursor: 'b' }, {}, { cursor: 'b' }],
    ['an inner cursor', [query('cursor')], {}, { response_metadata: { next_cursor: 'b=' } }, {}, { cursor: 'b=' }],
    ['an empty cursor', [query('cursor')], {}, { response_metadata: { next_cursor: '' } }, {}, undefined],
    ['a page token', [query('pageToken')], {}, { nextPageToken: 't' }, {}, { pageToken: 't' }],
    ['a token to continue', [query('continue')], {}, { metadata: { continue: 'c' } }, {}, { continue: 'c' }],
    [
      'a URL in the body',
      [query('offset', 'integer')],
      {},
      { next: 'http://a/things?offset=20&limit=20' },
      {},
      { offset: 20 },
    ],
    [
      'the last item',
      [query('starting_after')],
      {},
      { has_more: true, data: [{ id: 'i1' }, { id: 'i2' }] },
      {},
      { starting_after: 'i2' },
    ],
    ['nothing more', [query('starting_after')], {}, { has_more: false, data: [{ id: 'i1' }] }, {}, undefined],
    ['the same page again', [query('cursor')], { cursor: 'a' }, { next_cursor: 'a' }, {}, undefined],
    ['a cursor that is no cursor', [query('cursor')], {}, { next_cursor: 'x'.repeat(3_000) }, {}, undefined],
    ['a cursor without a parameter', [query('q')], {}, { next_cursor: 'b' }, {}, undefined],
  ])('%s', async (_, parameters, input, body, headers, next) => {
    await using service = await startService(things(parameters), { answer: json(200, body, headers) });
    const output = await service.call('list', input);
    expect(output).toEqual({ status: 200, body, ...(next === undefined ? {} : { next: { arguments: next } }) });
    expect(service.contracts.find(({ name }) => name === 'api.list')?.input.check({ ...input, ...next }).ok).toBe(true);
  });
});

describe('in a run', () => {
  test('a read is tried again after a 503, a POST is in doubt, and after a 429 tried again', async () => {
    const answers: Answer[] = [
      json(503, {}, { 'retry-after': '0' }),
      json(200, 'read'),
      json(429, {}, { 'retry-after': '0' }),
      json(200, 'made'),
      json(503, {}),
    ];
    let count = 0;
    const answer: Answer = (socket, text) => answers[count++]?.(socket, text);
    await using service = await startService(things(), { answer });
    await using axle = await createAxle({ store: ':memory:', tools: [service.source], log: () => {} });
    expect(await axle.call('api.list', {})).toMatchObject({
      status: 'completed',
      output: { status: 200, body: 'read' },
    });
    expect(await axle.call('api.make', {})).toMatchObject({
      status: 'completed',
      output: { status: 200, body: 'made' },
    });
    expect(await axle.call('api.make', {})).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
    expect(service.server.requests.map((text) => text.split(' ')[0])).toEqual(['GET', 'GET', 'POST', 'POST', 'POST']);
  });

  test('a POST that was reset after it was sent is in doubt; one that reached nobody is tried again', async () => {
    await using service = await startService(things(), {
      answer: (socket) => socket.resetAndDestroy(),
      effects: { POST: { retry: { attempts: 3, baseMs: 1 } } },
    });
    await using axle = await createAxle({ store: ':memory:', tools: [service.source], log: () => {} });
    expect(await axle.call('api.make', {})).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
    expect(service.server.requests).toHaveLength(1);
    await service.server[Symbol.asyncDispose]();
    const refused = await axle.call('api.make', {}, { key: 'another' });
    expect(JSON.stringify(refused)).toMatch(/upstream-unavailable|retries-exhausted/);
    expect(JSON.stringify(refused)).not.toContain('doubt');
  });

  test('no secret is in any byte of the store, in the log, in what the model sees or in the result, although the service echoes all that it gets (L12)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'axle-openapi-'));
    const hush = 'hush-4f9d-secret';
    const echo: Answer = (socket, text) => {
      const body = JSON.stringify({ text, [hush]: hush });
      const headers = { 'content-type': 'application/json', link: `</things?cursor=${hush}>; rel="next"` };
      socket.end(reply(text.startsWith('GET /things') ? 200 : 400, headers, body));
    };
    const seen: unknown[] = [];
    try {
      const schemes = { token: { type: 'http', scheme: 'bearer' }, key: { type: 'apiKey', in: 'query', name: 'key' } };
      await using service = await startService(things([{ in: 'query', name: 'cursor' }]), {
        answer: echo,
        more: { components: { securitySchemes: schemes }, security: [{ token: [], key: [] }] },
        auth: { token: secret('TOKEN'), key: secret('KEY') },
        http: { secrets: () => hush },
      });
      const model = scriptedBrain((request, turn) => {
        seen.push(request);
        return (
          [
            {
              calls: [
                { name: 'api.list', input: {} },
                { name: 'api.make', input: { body: {} } },
              ],
            },
            'Done.',
          ][turn] ?? 'Done.'
        );
      });
      await using axle = await createAxle({
        store: join(folder, 'axle.db'),
        tools: [service.source],
        agents: [agent({ name: 'clerk', tools: ['api.*'], model })],
        log: (...line: readonly unknown[]) => seen.push(line),
      });
      const run = await axle.start('clerk', { input: 'Go.' });
      seen.push(await run.result());
      expect(service.server.requests).toHaveLength(2);
      for (const text of service.server.requests) {
        expect(text).toContain(`Bearer ${hush}`);
        expect(text).toContain(`key=${hush}`);
      }
      const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString('latin1'));
      // What was echoed is there, under the names of the secrets.
      expect(bytes.some((text) => /\[secret (?:TOKEN|KEY)\]/.test(text))).toBe(true);
      for (const text of [...bytes, JSON.stringify(seen)]) expect(text).not.toContain(hush);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('time', () => {
  test('is limited by the attempt: what was not answered is in doubt, and the connection is closed', async () => {
    await using service = await startService(things(), { answer: () => {}, timeout: 80 });
    await using axle = await createAxle({ store: ':memory:', tools: [service.source], log: () => {} });
    expect(await axle.call('api.make', {})).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
    await expect.poll(() => service.server.open.size).toBe(0);
  });

  test('that ran out before anything was sent settles the doubt: it did not happen', async () => {
    await using service = await startService(things(), {
      timeout: 60,
      server: 'http://slow.example',
      http: { resolve: () => new Promise(() => {}) },
    });
    await using axle = await createAxle({ store: ':memory:', tools: [service.source], log: () => {} });
    const result = await axle.call('api.make', {});
    expect(JSON.stringify(result)).not.toContain('doubt');
    expect(result).toMatchObject({ status: 'failed' });
  });
});

test('the guard stands before every operation: a server that is not granted is not dialled', async () => {
  await using service = await startService(things(), { http: { allow: ['127.0.0.1:1'] } });
  expect(await failureOf(service.call('make', {}))).toMatchObject({ code: 'url-refused', effect: 'none' });
  expect(service.server.connections).toBe(0);
});
