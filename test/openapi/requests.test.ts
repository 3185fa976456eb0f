import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { failureOf } from '../http-client/failure.ts';
import { always } from '../http-client/raw-server.ts';
import { oneParameter, startService, toolOf } from './service.ts';

const list = ['blue', 'black', 'brown'];
const map = { R: 100, G: 200 };

describe('a parameter is written in its style (Y1)', () => {
  test.each<[string, boolean | undefined, unknown, string]>([
    ['simple', undefined, 'blue', '/things/blue'],
    ['simple', undefined, list, '/things/blue,black,brown'],
    ['simple', false, map, '/things/R,100,G,200'],
    ['simple', true, map, '/things/R=100,G=200'],
    ['label', false, 'blue', '/things/.blue'],
    ['label', false, list, '/things/.blue,black,brown'],
    ['label', true, list, '/things/.blue.black.brown'],
    ['label', false, map, '/things/.R,100,G,200'],
    ['label', true, map, '/things/.R=100.G=200'],
    ['matrix', false, 'blue', '/things/;color=blue'],
    ['matrix', false, list, '/things/;color=blue,black,brown'],
    ['matrix', true, list, '/things/;color=blue;color=black;color=brown'],
    ['matrix', false, map, '/things/;color=R,100,G,200'],
    ['matrix', true, map, '/things/;R=100;G=200'],
    ['simple', undefined, 'a/b?c#d é', '/things/a%2Fb%3Fc%23d%20%C3%A9'],
  ])('in a path: %s, exploded %s: %j', async (style, explode, value, path) => {
    await using service = await startService(oneParameter({ in: 'path', name: 'color', style, explode }));
    await service.call('list', { color: value });
    expect(service.line).toBe(`GET ${path} HTTP/1.1`);
  });

  test.each<[string | undefined, boolean | undefined, unknown, string]>([
    [undefined, undefined, 'blue', '?color=blue'],
    [undefined, undefined, '', '?color='],
    [undefined, undefined, 0, '?color=0'],
    [undefined, undefined, false, '?color=false'],
    [undefined, undefined, list, '?color=blue&color=black&color=brown'],
    ['form', false, list, '?color=blue,black,brown'],
    ['form', undefined, map, '?R=100&G=200'],
    ['form', false, map, '?color=R,100,G,200'],
    ['spaceDelimited', false, list, '?color=blue%20black%20brown'],
    ['pipeDelimited', false, list, '?color=blue%7Cblack%7Cbrown'],
    ['pipeDelimited', false, map, '?color=R%7C100%7CG%7C200'],
    ['deepObject', true, map, '?color%5BR%5D=100&color%5BG%5D=200'],
    [
      'deepObject',
      true,
      { a: { b: [1, { c: 'd' }] } },
      '?color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=d',
    ],
    ['deepObject', true, list, '?color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown'],
    [undefined, undefined, 'a&b=c+d #é', '?color=a%26b%3Dc%2Bd%20%23%C3%A9'],
    [undefined, undefined, ['a,b', null, 'c'], '?color=a%2Cb&color=c'],
    [undefined, undefined, [{ a: 1 }], '?color=%7B%22a%22%3A1%7D'],
    [undefined, undefined, null, ''],
    [undefined, undefined, [], ''],
  ])('in a query: %s, exploded %s: %j', async (style, explode, value, query) => {
    await using service = await startService(oneParameter({ in: 'query', name: 'color', style, explode }));
    await service.call('list', { color: value });
    expect(service.line).toBe(`GET /things${query} HTTP/1.1`);
  });

  test('in a query, reserved characters stay on request, those that end a value excepted', async () => {
    await using service = await startService(oneParameter({ in: 'query', name: 'q', allowReserved: true }));
    await service.call('list', { q: 'a/b:c?d&e=f#g' });
    expect(service.line).toBe('GET /things?q=a/b:c?d%26e%3Df%23g HTTP/1.1');
  });

  test('in a header and in a cookie', async () => {
    const parameters = [
      { in: 'header', name: 'X-Ids' },
      { in: 'header', name: 'X-Map', explode: true },
      { in: 'cookie', name: 'a' },
      { in: 'cookie', name: 'b' },
    ];
    await using service = await startService({ '/things': { get: { operationId: 'list', parameters } } });
    await service.call('list', { 'X-Ids': [1, 2], 'X-Map': map, a: 'x; y', b: [1, 2] });
    expect(service.header('x-ids')).toBe('1,2');
    expect(service.header('x-map')).toBe('R=100,G=200');
    expect(service.header('cookie')).toBe('a=x%3B%20y; b=1; b=2');
  });

  test('as JSON where the document describes it by a media type', async () => {
    await using service = await startService(
      oneParameter({
        in: 'query',
        name: 'filter',
        content: { 'application/json': { schema: { type: 'object' } } },
      }),
    );
    await service.call('list', { filter: { a: [1] } });
    expect(service.line).toContain(`?filter=${encodeURIComponent('{"a":[1]}')} `);
  });
});

describe('what an argument may not do to the URL (V2)', () => {
  test.each(['..', '.', '', '%2e%2e'])('a path parameter that is %j is refused, and nothing is sent', async (value) => {
    await using service = await startService({
      '/a/{id}/b': { delete: { operationId: 'remove', parameters: [{ in: 'path', name: 'id' }] } },
    });
    const request = service.call('remove', { id: value });
    if (value === '%2e%2e') {
      // A percent sign is encoded like any other: this is a name, and no way up.
      await request;
      expect(service.line).toBe('DELETE /a/%252e%252e/b HTTP/1.1');
    } else {
      expect(await failureOf(request)).toMatchObject({ code: 'arguments-invalid', effect: 'none' });
      expect(service.server.connections).toBe(0);
    }
  });

  test('a header that would begin another line is refused, and nothing is sent', async () => {
    await using service = await startService(oneParameter({ in: 'header', name: 'X-A' }));
    expect(await failureOf(service.call('list', { 'X-A': 'a\r\nx-evil: b' }))).toMatchObject({ effect: 'none' });
    expect(service.server.connections).toBe(0);
  });

  test('headers of the connection are no arguments', async () => {
    const parameters = ['Host', 'Content-Length', 'Authorization', 'Accept', 'Content-Type', 'X-Own'].map((name) => ({
      in: 'header',
      name,
    }));
    await using service = await startService({ '/a': { get: { operationId: 'list', parameters } } });
    expect(Object.keys(toolOf(service.contracts, 'list').input.json['properties'] ?? {})).toEqual(['X-Own']);
  });
});

describe('arguments', () => {
  test('are named in the characters that providers take, and told apart by their place', async () => {
    const parameters = [
      { in: 'query', name: 'filter[status]' },
      { in: 'query', name: '$top' },
      { in: 'query', name: 'id' },
      { in: 'path', name: 'id' },
      { in: 'query', name: 'body' },
      { in: 'query', name: 'constructor' },
    ];
    const content = { 'application/json': { schema: { type: 'object' } } };
    await using service = await startService({
      '/a/{id}': { post: { operationId: 'make', parameters, requestBody: { content } } },
    });
    const input = {
      filter_status: 'open',
      top: 5,
      id_in_query: 'q',
      id_in_path: 'p',
      body_in_query: 'b',
      value: 'c',
      body: { d: 1 },
    };
    expect(Object.keys(toolOf(service.contracts, 'make').input.json['properties'] ?? {}).sort()).toEqual(
      Object.keys(input).sort(),
    );
    await service.call('make', input);
    expect(service.line).toBe('POST /a/p?filter%5Bstatus%5D=open&%24top=5&id=q&body=b&constructor=c HTTP/1.1');
    expect(service.body).toBe('{"d":1}');
  });

  test('of a path are those of the operation where both it and the path item have one', async () => {
    await using service = await startService(
      {
        '/a/{id}': {
          parameters: [
            { in: 'path', name: 'id', schema: { type: 'string' } },
            { $ref: '#/components/parameters/page' },
          ],
          get: { operationId: 'get', parameters: [{ in: 'path', name: 'id', schema: { type: 'integer' } }] },
        },
      },
      { more: { components: { parameters: { page: { in: 'query', name: 'page', required: true } } } } },
    );
    expect(toolOf(service.contracts, 'get').input.json).toMatchObject({
      properties: { id: { type: 'integer' }, page: {} },
      required: ['id', 'page'],
    });
  });

  test('that are credentials or fixed are not the model’s', async () => {
    const parameters = [
      { in: 'header', name: 'token', required: true },
      { in: 'header', name: 'Api-Version' },
      { in: 'query', name: 'a' },
    ];
    await using service = await startService(
      { '/a': { get: { operationId: 'list', parameters } } },
      {
        auth: [{ kind: 'header', name: 'Token', value: { secret: 'ANY' } }],
        headers: { 'Api-Version': '7' },
        http: { secrets: () => 'hush' },
      },
    );
    expect(Object.keys(toolOf(service.contracts, 'list').input.json['properties'] ?? {})).toEqual(['a']);
    await service.call('list', {});
    expect([service.header('token'), service.header('api-version')]).toEqual(['hush', '7']);
  });
});

describe('a body', () => {
  const operation = (content: object, required = true): object => ({
    '/a': { post: { operationId: 'make', requestBody: { required, content } } },
  });

  test.each([
    ['application/json', 'application/json'],
    ['application/merge-patch+json', 'application/merge-patch+json'],
    ['*/*', 'application/json'],
  ])('of %s is JSON', async (type, sent) => {
    await using service = await startService(operation({ 'text/plain': {}, [type]: { schema: { type: 'object' } } }));
    await service.call('make', { body: { a: [1, null, 'é'] } });
    expect([service.header('content-type'), service.body]).toEqual([sent, '{"a":[1,null,"é"]}']);
  });

  test('that is not given is not sent', async () => {
    await using service = await startService(operation({ 'application/json': {} }, false));
    await service.call('make', {});
    expect([service.header('content-type'), service.header('content-length'), service.body]).toEqual([
      undefined,
      '0',
      '',
    ]);
  });

  test('of a form is written property by property', async () => {
    const encoding = { expand: { style: 'deepObject', explode: true }, tags: { style: 'form', explode: false } };
    const content = { 'application/x-www-form-urlencoded': { schema: { type: 'object' }, encoding } };
    await using service = await startService(operation(content));
    await service.call('make', {
      body: { a: 'b c&d', n: 1, list: [1, 2], tags: ['x', 'y'], expand: { e: ['f'] }, o: { p: 1 } },
    });
    expect(service.header('content-type')).toBe('application/x-www-form-urlencoded');
    expect(service.body).toBe('a=b%20c%26d&n=1&list=1&list=2&tags=x,y&expand%5Be%5D%5B0%5D=f&o=%7B%22p%22%3A1%7D');
  });

  test('of text is sent as it is', async () => {
    await using service = await startService(operation({ 'text/markdown': { schema: { type: 'string' } } }));
    await service.call('make', { body: '# Title' });
    expect([service.header('content-type'), service.body]).toEqual(['text/markdown', '# Title']);
  });
});

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'axle-openapi-'));
  const files = join(folder, 'files');
  mkdirSync(files);
  writeFileSync(join(files, 'a.txt'), 'content of a');
  writeFileSync(join(files, '..b.txt'), 'content of ..b');
  writeFileSync(join(folder, 'outside.txt'), 'secret');
  symlinkSync(join(folder, 'outside.txt'), join(files, 'link.txt'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const upload = {
    '/a': {
      post: {
        operationId: 'upload',
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  file: { type: 'string', format: 'binary' },
                  more: { type: 'array', items: { type: 'string', format: 'binary' } },
                  note: { type: 'string' },
                  meta: { type: 'object' },
                },
              },
              encoding: { file: { contentType: 'text/plain' } },
            },
          },
        },
      },
      put: { operationId: 'replace', requestBody: { required: true, content: { 'application/octet-stream': {} } } },
    },
  };

  test('of a multipart form are named, or given as text or base64', async () => {
    await using service = await startService(upload, { files });
    await service.call('upload', {
      body: { file: { file: 'a.txt' }, more: [{ text: 'one' }, { base64: 'dHdv' }], note: 'n', meta: { a: 1 } },
    });
    const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(service.header('content-type') ?? '')?.[1] ?? 'none';
    const parts = service.body
      .split(`--${boundary}`)
      .slice(1, -1)
      .map((part) => part.trim().replaceAll('\r\n', '|'));
    expect(parts).toEqual([
      'Content-Disposition: form-data; name="file"; filename="a.txt"|Content-Type: text/plain||content of a',
      'Content-Disposition: form-data; name="more"; filename="more"|Content-Type: application/octet-stream||one',
      'Content-Disposition: form-data; name="more"; filename="more"|Content-Type: application/octet-stream||two',
      'Content-Disposition: form-data; name="note"||n',
      'Content-Disposition: form-data; name="meta"; filename="blob"|Content-Type: application/json||{"a":1}',
    ]);
  });

  test.each([
    ['a.txt', 'content of a'],
    ['..b.txt', 'content of ..b'],
  ])('as a whole body: %s', async (file, content) => {
    await using service = await startService(upload, { files });
    await service.call('replace', { body: { file } });
    expect([service.header('content-type'), service.body]).toEqual(['application/octet-stream', content]);
  });

  test.each(['../outside.txt', 'link.txt', '/etc/hostname', '.', 'missing.txt', ''])(
    'outside of their folder are not read: %j (N1)',
    async (file) => {
      await using service = await startService(upload, { files });
      expect(await failureOf(service.call('replace', { body: { file } }))).toMatchObject({
        code: 'arguments-invalid',
        effect: 'none',
      });
      expect(service.server.connections).toBe(0);
    },
  );

  test('without a folder are no arguments', async () => {
    await using service = await startService(upload);
    expect(JSON.stringify(toolOf(service.contracts, 'replace').input.json)).not.toContain('"file"');
    expect(await failureOf(service.call('replace', { body: { file: 'a.txt' } }))).toMatchObject({ effect: 'none' });
  });

  test('of responses are kept under the hash of their content, and named to the model (N2)', async () => {
    const answer = always(200, { 'content-type': 'image/png' }, Buffer.from([1, 2, 3]));
    await using service = await startService(upload, { files: join(folder, 'received'), answer });
    const expected = {
      file: '039058c6f2c0cb49.png',
      contentType: 'image/png',
      sizeBytes: 3,
      sha256: expect.stringMatching(/^039058c6f2c0cb49/),
    };
    expect(await service.call('replace', { body: { text: 'x' } })).toEqual({ status: 200, body: expected });
    await service.call('replace', { body: { text: 'x' } });
    expect(readdirSync(join(folder, 'received'))).toEqual(['039058c6f2c0cb49.png']);
    expect([...readFileSync(join(folder, 'received', '039058c6f2c0cb49.png'))]).toEqual([1, 2, 3]);
  });

  test('of responses are whole also where a process that ended in the middle left a half under their name (N2)', async () => {
    const answer = always(200, { 'content-type': 'image/png' }, Buffer.from([1, 2, 3]));
    await using service = await startService(upload, { files: join(folder, 'broken'), answer });
    const path = join(folder, 'broken', '039058c6f2c0cb49.png');
    mkdirSync(join(folder, 'broken'));
    writeFileSync(path, Buffer.from([1]));
    await service.call('replace', { body: { text: 'x' } });
    expect([...readFileSync(path)]).toEqual([1, 2, 3]);
    expect(readdirSync(join(folder, 'broken'))).toEqual(['039058c6f2c0cb49.png']);
  });
});

test('an idempotency key goes along where the document has a header for it, or the configuration', async () => {
  const paths = {
    '/a': {
      post: { operationId: 'declared', parameters: [{ in: 'header', name: 'Idempotency-Key', required: true }] },
      put: { operationId: 'configured' },
      get: { operationId: 'read' },
    },
  };
  await using service = await startService(paths, { idempotencyHeader: 'X-Request-Id' });
  expect(toolOf(service.contracts, 'declared').input.json).not.toHaveProperty('required');
  await service.call('declared', {});
  expect([service.header('idempotency-key'), service.header('x-request-id')]).toEqual(['key-1', undefined]);
  await service.call('configured', {});
  expect(service.header('x-request-id')).toBe('key-1');
  await service.call('read', {});
  expect(service.header('x-request-id')).toBe(undefined);
  expect(service.contracts.map(({ effect }) => effect)).toEqual(['read', 'write', 'write']);
});
