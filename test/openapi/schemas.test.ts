/** What becomes of the schemas of a document. */
import { describe, expect, test } from 'vitest';
import { toolOf } from './service.ts';
import { sourceOf, bodyOf, admits } from './described.ts';

describe('a schema', () => {
  test('that contains itself stays what it is, with what it reaches and nothing else (W1)', async () => {
    const contract = await bodyOf(
      { $ref: '#/components/schemas/Tree' },
      {
        Tree: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
          required: ['children'],
        },
        Other: { type: 'string' },
      },
    );
    expect(Object.keys(contract.input.json['$defs'] ?? {})).toEqual(['Tree']);
    expect(admits(contract, { children: [{ children: [] }] })).toBe(true);
    expect(admits(contract, { children: [{}] })).toBe(false);
  });

  test('that leads nowhere, or out of the document, admits anything, and that is said (W2)', async () => {
    const schema = {
      type: 'object',
      properties: {
        a: { $ref: '#/components/schemas/Gone' },
        b: { $ref: 'other.yaml#/B' },
        c: { $ref: 'http://10.0.0.1/c.json' },
      },
    };
    const source = sourceOf({
      '/a': { post: { operationId: 'make', requestBody: { content: { 'application/json': { schema } } } } },
    });
    const contract = toolOf(await source.connect(), 'make');
    expect(admits(contract, { a: 1, b: 'x', c: null })).toBe(true);
    expect(source.warnings).toEqual(
      ['#/components/schemas/Gone', 'other.yaml#/B', 'http://10.0.0.1/c.json'].map(
        (reference) => `api.make: ${reference} leads nowhere in this document, so anything is admitted there`,
      ),
    );
  });

  test.each<[string, string, object, object]>([
    ['a type', '3.0.3', { type: 'string', nullable: true }, {}],
    ['a reference', '3.0.3', { $ref: '#/components/schemas/A', nullable: true }, { A: { type: 'string' } }],
    ['allOf', '3.0.3', { allOf: [{ $ref: '#/components/schemas/A' }], nullable: true }, { A: { type: 'string' } }],
    ['oneOf', '3.0.3', { oneOf: [{ type: 'string' }, { type: 'integer' }], nullable: true }, {}],
    ['an enum', '3.0.3', { type: 'string', enum: ['x', 'y'], nullable: true }, {}],
    ['a type, in a document that should know better', '3.1.0', { type: 'string', nullable: true }, {}],
    ['a list of types', '3.1.0', { type: ['string', 'null'] }, {}],
  ])('that admits null beside %s (%s) does', async (_, version, schema, schemas) => {
    const contract = await bodyOf({ type: 'object', properties: { a: schema } }, schemas, version);
    expect([null, 'x', true].map((a) => admits(contract, { a }))).toEqual([true, true, false]);
  });

  test('of 3.0 with an exclusive limit keeps it', async () => {
    const contract = await bodyOf(
      { type: 'object', properties: { n: { type: 'integer', minimum: 1, exclusiveMinimum: true } } },
      {},
      '3.0.3',
    );
    expect([1, 2].map((n) => admits(contract, { n }))).toEqual([false, true]);
  });

  test('of a request has nothing that is read-only, also behind a reference (W3)', async () => {
    const contract = await bodyOf(
      {
        type: 'object',
        properties: {
          id: { type: 'string', readOnly: true },
          at: { $ref: '#/components/schemas/At' },
          name: { type: 'string' },
        },
        required: ['id', 'at', 'name'],
        additionalProperties: false,
      },
      { At: { type: 'string', readOnly: true } },
    );
    expect(admits(contract, { name: 'x' })).toBe(true);
    expect(admits(contract, { name: 'x', id: '1' })).toBe(false);
  });

  test('is told apart by its discriminator where the document maps it', async () => {
    const contract = await bodyOf(
      {
        oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
        discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat', dog: 'Dog' } },
      },
      {
        Cat: { type: 'object', properties: { kind: { type: 'string' } } },
        Dog: { type: 'object', properties: { kind: { type: 'string' } } },
      },
    );
    expect(['cat', 'dog', 'cow'].map((kind) => admits(contract, { kind }))).toEqual([true, true, false]);
    expect(JSON.stringify(contract.input.json)).toContain(
      'The property kind says which form this has: \\"cat\\" for Cat, \\"dog\\" for Dog.',
    );
  });

  test('keeps allOf, defaults, limits, descriptions and examples, and loses what JSON Schema does not have (W5)', async () => {
    const schema = {
      allOf: [
        {
          type: 'object',
          properties: { a: { type: 'integer', default: 3, minimum: 1, description: 'A number.', examples: [4] } },
        },
      ],
      xml: { name: 'a' },
      externalDocs: { url: 'http://a' },
      'x-own': 1,
      example: { a: 5 },
      properties: {
        b: { type: 'any', required: true, pattern: '(', enum: 'x', format: 'odd' },
        c: { type: 'string', pattern: '^[a-z]+$' },
      },
    };
    const contract = await bodyOf(schema);
    expect((contract.input.json['properties'] as Record<string, unknown>)['body']).toEqual({
      allOf: [
        {
          type: 'object',
          properties: { a: { type: 'integer', default: 3, minimum: 1, description: 'A number.', examples: [4] } },
        },
      ],
      properties: { b: { format: 'odd' }, c: { type: 'string', pattern: '^[a-z]+$' } },
    });
  });

  test('that is too long to be read is written without its inner descriptions, then with what lies deep left open (W4)', async () => {
    const words = 'word '.repeat(100);
    const chain = (length: number, describe: string): object =>
      Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `S${index}`,
          {
            type: 'object',
            description: describe,
            properties: {
              next: { $ref: `#/components/schemas/S${index + 1}` },
              n: { type: 'integer', description: describe },
            },
          },
        ]),
      );
    const wordy = await bodyOf({ $ref: '#/components/schemas/S0' }, { ...chain(150, words), S150: { type: 'string' } });
    expect(JSON.stringify(wordy.input.json)).not.toContain('word');
    const deepest = (inner: unknown, levels: number): unknown =>
      levels === 0 ? inner : { next: deepest(inner, levels - 1) };
    expect(admits(wordy, deepest(7, 150))).toBe(false);
    const schemas = { ...chain(2_000, 'x'), S2000: { type: 'string' } };
    const source = sourceOf(
      {
        '/a': {
          post: {
            operationId: 'make',
            requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } },
          },
        },
      },
      { more: { components: { schemas } } },
    );
    const long = toolOf(await source.connect(), 'make');
    expect([1, 3, 5].map((levels) => admits(long, deepest({ n: 'x' }, levels)))).toEqual([false, false, true]);
    expect(source.warnings).toEqual([expect.stringContaining('anything is admitted behind 4 references')]);
  });

  test('that is larger than any use of it takes only its own operation away', async () => {
    let deep: object = { type: 'string' };
    for (let depth = 0; depth < 70; depth += 1) deep = { type: 'array', items: deep };
    const operation = (schema: object, operationId: string): object => ({
      post: { operationId, requestBody: { content: { 'application/json': { schema } } } },
    });
    const source = sourceOf({ '/a': operation(deep, 'deep'), '/b': operation({ type: 'object' }, 'flat') }).connect();
    expect((await source).map(({ name }) => name)).toEqual(['api.flat']);
  });
});
