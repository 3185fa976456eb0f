/** What becomes of the operations of a document: which are left out, what they are named, what they do, what a model is shown. */
import { describe, expect, test } from 'vitest';
import { createAxle } from '../../src/facade/create-axle.ts';
import type { OpenApiOptions } from '../../src/openapi/openapi-tools.ts';
import { toolOf } from './service.ts';
import { sourceOf } from './described.ts';

describe('an operation that cannot be called is left out, with the reason, and takes none with it', () => {
  test.each<[string, object, string]>([
    ['a path without its parameter', { '/a/{id}': { get: { operationId: 'broken' } } }, 'its path has {id}'],
    [
      'a parameter that leads nowhere',
      { '/a': { get: { operationId: 'broken', parameters: [{ $ref: '#/gone' }] } } },
      'leads nowhere',
    ],
    [
      'a parameter in a place that is none',
      { '/a': { get: { operationId: 'broken', parameters: [{ in: 'querystring', name: 'q' }] } } },
      'stands in querystring',
    ],
    [
      'a body that leads nowhere',
      { '/a': { post: { operationId: 'broken', requestBody: { $ref: '#/gone' } } } },
      'its request body leads nowhere',
    ],
    [
      'references in a circle',
      { '/a': { get: { operationId: 'broken', parameters: [{ $ref: '#/components/parameters/a' }] } } },
      'leads nowhere',
    ],
  ])('%s', async (_, paths, reason) => {
    const more = {
      components: {
        parameters: { a: { $ref: '#/components/parameters/b' }, b: { $ref: '#/components/parameters/a' } },
      },
    };
    const source = sourceOf({ ...paths, '/good': { get: { operationId: 'good' } } }, { more });
    expect((await source.connect()).map(({ name }) => name)).toEqual(['api.good']);
    expect(source.refused).toEqual([
      { operation: expect.stringContaining(' /a'), reason: expect.stringContaining(reason) },
    ]);
  });
});

describe('names', () => {
  const namesOf = async (paths: object, name = 'api'): Promise<readonly string[]> =>
    (await sourceOf(paths, { name }).connect()).map((contract) => contract.name);

  test('follow from operationId, else from method and path (N1, N3)', async () => {
    expect(
      await namesOf({
        '/pets/{petId}': {
          parameters: [{ in: 'path', name: 'petId' }],
          get: {},
          delete: { operationId: 'pets/remove' },
          put: { operationId: ' Replace a pet! ' },
        },
      }),
    ).toEqual(['api.get_pets_petId', 'api.Replace_a_pet', 'api.pets.remove']);
  });

  test('that would be one are told apart, and the one that is exactly this name keeps it (N2)', async () => {
    const paths = {
      '/a': { get: { operationId: 'issues/create' } },
      '/b': { get: { operationId: 'issues.create' } },
      '/c': { get: { operationId: 'issues create' } },
      '/d': { get: { operationId: 'issues_create' } },
    };
    const names = await namesOf(paths);
    expect(names).toEqual([
      expect.stringMatching(/^api\.issues\.create_[\w-]{8}$/),
      'api.issues.create',
      expect.stringMatching(/^api\.issues_create_[\w-]{8}$/),
      'api.issues_create',
    ]);
    // Others that come or go change nothing for those that are told apart by their own identity.
    expect((await namesOf({ '/b': paths['/b'], '/a': paths['/a'] }))[1]).toBe(names[0]);
  });

  test('of an operationId that stands twice are told apart too', async () => {
    const names = await namesOf({ '/a': { get: { operationId: 'same' }, post: { operationId: 'same' } } });
    expect(new Set(names).size).toBe(2);
  });

  test('are legal however long the operationId is', async () => {
    const names = await namesOf(
      { '/a': { get: { operationId: 'x'.repeat(300) } }, '/b': { get: { operationId: `${'x'.repeat(300)}y` } } },
      'n'.repeat(64),
    );
    expect(names.map((name) => name.length)).toEqual([128, 128]);
    expect(new Set(names).size).toBe(2);
  });
});

describe('effects', () => {
  const paths = {
    '/a': {
      get: { operationId: 'get' },
      head: { operationId: 'head' },
      post: { operationId: 'post' },
      put: { operationId: 'put' },
      patch: { operationId: 'patch' },
      delete: { operationId: 'delete' },
    },
  };
  const termsOf = async (
    effects: OpenApiOptions['effects'],
    own: object = paths,
  ): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries(
      (await sourceOf(own, effects === undefined ? {} : { effects }).connect()).map(
        ({ name, effect, risk, irreversible }) => [
          name.slice(4),
          `${effect} ${risk}${irreversible ? ' irreversible' : ''}`,
        ],
      ),
    );

  test('follow from the method: what may change something is a write, and a DELETE asks a person (E1, E2)', async () => {
    expect(await termsOf(undefined)).toEqual({
      get: 'read low',
      head: 'read low',
      post: 'write medium',
      put: 'write medium',
      patch: 'write medium',
      delete: 'write high irreversible',
    });
  });

  test('are what is declared, by method, by operation and by operationId, the last one first', async () => {
    const terms = await termsOf({
      PUT: { effect: 'idempotent' },
      DELETE: { effect: 'idempotent', irreversible: false },
      'POST /a': { effect: 'read', risk: 'high' },
      post: { risk: 'low' },
      patch: { effect: 'idempotent', parallel: true },
    });
    expect(terms).toMatchObject({
      put: 'idempotent medium',
      delete: 'idempotent medium',
      post: 'read low',
      patch: 'idempotent medium',
    });
  });

  test('are tightened by what the document says, never loosened (E3)', async () => {
    const hinted = (operationId: string, hints: object): object => ({ operationId, ...hints });
    const own = {
      '/a': {
        get: hinted('search', { 'x-axle-effect': 'write' }),
        post: hinted('pay', { 'x-axle-effect': 'read', 'x-axle-risk': 'low', 'x-axle-irreversible': true }),
        put: hinted('set', { 'x-axle-effect': 'write', 'x-axle-risk': 'high' }),
        patch: hinted('odd', { 'x-axle-effect': 'nothing', 'x-axle-irreversible': 'yes' }),
        delete: hinted('remove', { 'x-axle-irreversible': false, 'x-axle-risk': 'low' }),
      },
    };
    expect(await termsOf({ set: { effect: 'idempotent', parallel: true } }, own)).toEqual({
      search: 'write medium',
      pay: 'write medium irreversible',
      set: 'write high',
      odd: 'write medium',
      remove: 'write high irreversible',
    });
  });

  test('come with limits and a breaker that all operations share, and with what a single one has for itself', async () => {
    const contracts = await sourceOf(paths, {
      limits: { rate: '10/s', concurrency: 2 },
      effects: { get: { cache: { ttl: '1m' } }, put: { limits: { rate: '1/s' } } },
    }).connect();
    const upstreams = contracts.map(({ name, limits, terms }) => [
      name.slice(4),
      limits?.upstream,
      terms.cache !== undefined,
    ]);
    expect(upstreams).toEqual([
      ['get', 'api', true],
      ['put', 'tool:api.put', false],
      ['post', 'api', false],
      ['delete', 'api', false],
      ['head', 'api', false],
      ['patch', 'api', false],
    ]);
    await using axle = await createAxle({ store: ':memory:', tools: contracts });
    expect(await axle.upstreams.get('api')).toMatchObject({ name: 'api' });
  });

  test('that no tool can have are refused, and not only the tool', async () => {
    const connect = sourceOf(paths, { effects: { post: { cache: { ttl: '1m' } } } }).connect();
    await expect(connect).rejects.toMatchObject({ code: 'contract-invalid' });
    await expect(sourceOf(paths, { timeout: 'soon' }).connect()).rejects.toMatchObject({ code: 'contract-invalid' });
  });

  test('of operations that do not exist are refused', async () => {
    await expect(sourceOf(paths, { effects: { pst: { effect: 'read' } } }).connect()).rejects.toMatchObject({
      code: 'configuration-invalid',
    });
  });
});

describe('what a model is shown', () => {
  test('is summary and description, how to go on, the first tag as category, and an example that fits', async () => {
    const parameters = [
      { in: 'query', name: 'page', description: 'Which page.', schema: { type: 'integer' }, example: 2 },
      { in: 'query', name: 'state', schema: { enum: ['open', 'closed'] }, example: 'open' },
    ];
    const paths = {
      '/a': {
        get: {
          operationId: 'list',
          summary: 'Lists things.',
          description: 'All of them.',
          tags: ['things'],
          deprecated: true,
          parameters,
        },
      },
    };
    const contract = toolOf(await sourceOf(paths).connect(), 'list');
    expect(contract).toMatchObject({
      description:
        'Lists things.\nAll of them.\nWhen the result has next, there is more: call again with its arguments as well.',
      category: 'things',
      limitations: 'The service advises against it (deprecated).',
      examples: [{ input: { page: 2, state: 'open' } }],
    });
    expect(contract.input.json).toMatchObject({
      properties: { page: { type: 'integer', description: 'Which page.' } },
    });
  });

  test('is method and path where the document says nothing; an example that does not fit is left out', async () => {
    const parameters = [{ in: 'query', name: 'n', schema: { type: 'integer' }, example: 'many' }];
    const contract = toolOf(await sourceOf({ '/a': { get: { operationId: 'list', parameters } } }).connect(), 'list');
    expect([contract.description, contract.examples]).toEqual(['GET /a.', []]);
  });
});
