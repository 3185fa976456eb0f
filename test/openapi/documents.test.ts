/** OpenAPI documents as such: their forms, their servers, their keys, and what is taken of them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import { secret } from '../../src/http-client/secret.ts';
import { openApiTools, type OpenApiOptions, type OpenApiSource } from '../../src/openapi/openapi-tools.ts';
import { server, sourceOf } from './described.ts';

describe('include', () => {
  const paths = {
    '/a': { get: { operationId: 'a.list', tags: ['x'] }, post: { operationId: 'a.make' } },
    '/b/c': { get: { operationId: 'b.list', tags: ['y'] } },
  };

  test.each([
    [['a.list'], ['api.a.list']],
    [['a.*'], ['api.a.list', 'api.a.make']],
    [['GET *'], ['api.a.list', 'api.b.list']],
    [
      ['GET /b/*', 'tag:x'],
      ['api.a.list', 'api.b.list'],
    ],
  ])('%j', async (include, names) => {
    expect((await sourceOf(paths, { include }).connect()).map(({ name }) => name)).toEqual(names);
  });

  test('that names nothing is refused', async () => {
    await expect(sourceOf(paths, { include: ['a.lst'] }).connect()).rejects.toThrow('"a.lst"');
  });
});

/** Nine to the eighth power, if it were written out. */
const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...Array.from('bcdefghi', (key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]`),
].join('\n');

describe('a document', () => {
  const folder = mkdtempSync(join(tmpdir(), 'axle-openapi-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const fileOf = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const names = async (path: string): Promise<readonly string[]> =>
    (await openApiTools({ name: 'api', path, server }).connect()).map(({ name }) => name);

  test('is JSON or YAML, 2.0 to 3.2', async () => {
    const paths = { '/a': { get: { operationId: 'list', responses: {} } } };
    expect(await names(fileOf('a.json', JSON.stringify({ openapi: '3.2.0', paths })))).toEqual(['api.list']);
    expect(
      await names(fileOf('a.yaml', 'openapi: 3.0.1\npaths:\n  /a:\n    get: { operationId: list, responses: {} }\n')),
    ).toEqual(['api.list']);
    expect(
      await names(fileOf('old.yaml', 'swagger: 2.0\npaths:\n  /a:\n    get: { operationId: list, responses: {} }\n')),
    ).toEqual(['api.list']);
  });

  test('of 2.0 brings its server, its parameters of forms, its references and its keys', async () => {
    const document = {
      swagger: '2.0',
      host: 'old.example.com',
      basePath: '/v1',
      schemes: ['https'],
      securityDefinitions: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
      security: [{ key: [] }],
      paths: {
        '/a': {
          post: {
            operationId: 'make',
            parameters: [
              { in: 'formData', name: 'n', type: 'integer', required: true },
              { in: 'header', name: 'X-Key', type: 'string' },
            ],
          },
        },
      },
    };
    const source = openApiTools({ name: 'api', document, server, auth: { key: secret('ANY') } });
    expect((await source.connect())[0]?.input.json).toMatchObject({ properties: { body: { required: ['n'] } } });
    expect(JSON.stringify((await source.connect())[0]?.input.json)).not.toContain('X-Key');
    expect(source.warnings).toEqual([]);
    expect(document.swagger).toBe('2.0');
  });

  test.each<[string, string, string]>([
    ['of another kind', '{"a":1}', 'neither openapi nor swagger'],
    ['of another version', '{"openapi":"4.0.0","paths":{}}', '4.0.0'],
    ['without paths', '{"openapi":"3.1.0"}', 'no paths'],
    ['that is no JSON', '{"openapi":', 'cannot be parsed'],
    ['that is no YAML', 'a: [', 'cannot be parsed'],
    ['that is a list', '- a', 'no object'],
    ['with a key that is a trap', '{"openapi":"3.1.0","paths":{"__proto__":{}}}', '__proto__'],
    ['with a bomb of aliases', bomb, 'cannot be parsed'],
  ])('%s is refused', async (_, text, words) => {
    await expect(names(fileOf('bad', text))).rejects.toThrow(words);
  });

  test('that is not there is refused', async () => {
    await expect(names(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'configuration-invalid' });
  });
});

describe('the server', () => {
  const paths = { '/a': { get: { operationId: 'list' } } };
  const connect = (options: Partial<OpenApiOptions>, more: object = {}): Promise<unknown> => {
    const document = { openapi: '3.1.0', paths, ...more };
    return openApiTools({ name: 'api', document, ...options }).connect();
  };
  const servers = [{ url: 'https://{region}.example.com/v1/', variables: { region: { default: 'eu' } } }];

  test('is the document’s where no secret is sent', async () => {
    await expect(connect({}, { servers })).resolves.toHaveLength(1);
  });

  test.each<[string, Partial<OpenApiOptions>, object]>([
    ['is missing', {}, {}],
    ['is relative', {}, { servers: [{ url: '/v1' }] }],
    [
      'is the document’s, and secrets would be sent there (V1)',
      { auth: [{ kind: 'bearer', token: secret('A') }] },
      { servers },
    ],
    ['has a user name', { server: 'https://a:b@example.com' }, {}],
    ['has a query', { server: 'https://example.com/?a=b' }, {}],
    ['is no web server', { server: 'ftp://example.com' }, {}],
  ])('that %s is refused', async (_, options, more) => {
    await expect(connect(options, more)).rejects.toMatchObject({ code: 'configuration-invalid' });
  });
});

test('a server of a single operation is not used, and that is said', async () => {
  const source = sourceOf({
    '/a': { get: { operationId: 'list', servers: [{ url: 'https://uploads.example.com' }] } },
  });
  await source.connect();
  expect(source.warnings).toEqual([
    'api.list: it has a server of its own, https://uploads.example.com, which is not used',
  ]);
});

describe('auth', () => {
  const schemes = {
    key: { type: 'apiKey', in: 'query', name: 'api_key' },
    login: { type: 'http', scheme: 'basic' },
    token: { type: 'oauth2', flows: {} },
    mutual: { type: 'mutualTLS' },
  };
  const connect = (
    auth: OpenApiOptions['auth'],
    security: unknown,
  ): { readonly source: OpenApiSource; readonly done: Promise<readonly Contract[]> } => {
    const source = sourceOf(
      { '/a': { get: { operationId: 'list', security } } },
      { ...(auth === undefined ? {} : { auth }), more: { components: { securitySchemes: schemes } } },
    );
    return { source, done: source.connect() };
  };

  test.each<[string, OpenApiOptions['auth']]>([
    ['a scheme that is not there', { kee: secret('A') }],
    ['one secret for a user name and a password', { login: secret('A') }],
    ['a user name and a password for one secret', { key: { username: 'a', password: secret('A') } }],
    ['what cannot be sent', { mutual: secret('A') }],
  ])('%s is refused', async (_, auth) => {
    await expect(connect(auth, []).done).rejects.toMatchObject({ code: 'configuration-invalid' });
  });

  test('that an operation asks for and that is not given is said', async () => {
    const { source, done } = connect({ key: secret('A') }, [{ token: [], key: [] }, { login: [] }]);
    expect(await done).toHaveLength(1);
    expect(source.warnings).toEqual(['api.list: it asks for token or login, which auth does not have']);
  });
});
