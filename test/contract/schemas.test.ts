import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toCheckedSchema } from '../../src/contract/schema/checked-schema.ts';
import { needsFlattening } from '../../src/contract/schema/flat-schema.ts';
import { isAxleError } from '../../src/error/axle-error.ts';
import type { JsonValue } from '../../src/util/json.ts';
import { committedCases } from './case-files.ts';

const check = (schema: unknown, value: JsonValue): boolean =>
  toCheckedSchema(schema, 'input', 'The schema').check(value).ok;

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return isAxleError(error) ? error.code : String(error);
  }
  return 'nothing was thrown';
}

describe('JSON Schemas', () => {
  test('of 2020-12 and of draft-07 each mean what their dialect says', () => {
    const modern = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      prefixItems: [{ type: 'string' }],
      items: false,
    };
    const older = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      items: [{ type: 'string' }],
      additionalItems: false,
    };
    for (const schema of [modern, older]) {
      expect([['a'], ['a', 1], [1]].map((value) => check(schema, value))).toEqual([true, false, false]);
    }
  });

  test('without a dialect are read as 2020-12, or as draft-07 where only that is valid', () => {
    expect(check({ type: 'array', items: [{ type: 'string' }], additionalItems: false }, ['a', 1])).toBe(false);
    expect(check({ type: 'array', prefixItems: [{ type: 'string' }], items: false }, ['a', 1])).toBe(false);
  });

  test('with a dialect that nobody knows are read as 2020-12', () => {
    expect(check({ $schema: 'https://example.com/my-dialect', type: 'string' }, 'a')).toBe(true);
  });

  test('may be true or false', () => {
    expect(check(true, { any: 'thing' })).toBe(true);
    expect(check(false, {})).toBe(false);
  });

  test('change nothing: no default is filled, no type coerced, no key removed', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', default: 'x' }, n: { type: 'number' } },
      additionalProperties: false,
    };
    const value = {};
    expect(toCheckedSchema(schema, 'input', 's').check(value)).toEqual({ ok: true, value: {} });
    expect(check(schema, { n: '1' })).toBe(false);
    expect(check(schema, { z: 1 })).toBe(false);
  });

  test('treat a format as a remark', () => {
    expect(check({ type: 'string', format: 'date' }, 'tomorrow')).toBe(true);
  });

  test('with the same $id in two tools do not meet', () => {
    expect(check({ $id: 'https://example.com/a', type: 'string' }, 'a')).toBe(true);
    expect(check({ $id: 'https://example.com/a', type: 'number' }, 1)).toBe(true);
  });

  test('with a pattern of older JavaScript are usable', () => {
    expect(check({ type: 'string', pattern: '^[\\w-.]+$' }, 'a-b.c')).toBe(true);
  });

  test('name the member that is missing or too many', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const checked = toCheckedSchema(schema, 'input', 's').check({ 'b/c': 1 });
    expect(checked.ok ? [] : checked.issues.map((issue) => issue.path).toSorted()).toEqual(['/a', '/b~1c']);
  });

  test('agree with the public test suite of 2020-12, apart from a property named __proto__, which is refused by intent', () => {
    interface Suite {
      readonly id: string;
      readonly schema: unknown;
      readonly tests: readonly (readonly [JsonValue, boolean])[];
    }
    const suites = committedCases('json_schema_2020_12.jsonl') as readonly Suite[];
    const answers = suites.flatMap(({ id, schema, tests }) =>
      tests.map(([value, valid]) => ({ id, isRight: answerOf(schema, value) === valid })),
    );
    expect(answers.length).toBeGreaterThan(500);
    expect(new Set(answers.filter(({ isRight }) => !isRight).map(({ id }) => id))).toEqual(new Set(['S054']));
  });
});

describe('a schema with documents, anchors or dynamic references in it', () => {
  // A list whose items are what the document around it says they are, two levels deep.
  const list = {
    $id: 'list',
    type: 'array',
    items: { $dynamicRef: '#item' },
    $defs: { item: { $dynamicAnchor: 'item' } },
  };
  const numbers = { $id: 'numbers', $ref: 'list', $defs: { item: { $dynamicAnchor: 'item', type: 'number' } } };
  const texts = { $id: 'texts', $ref: 'list', $defs: { item: { $dynamicAnchor: 'item', type: 'string' } } };

  test('leads each reference to what is meant on the way by which it is reached', () => {
    const schema = {
      type: 'object',
      properties: { numbers: { $ref: 'numbers' }, texts: { $ref: 'texts' }, any: { $ref: 'list' } },
      $defs: { list, numbers, texts },
    };
    expect(check(schema, { numbers: [1], texts: ['a'], any: [1, 'a'] })).toBe(true);
    expect(check(schema, { numbers: ['a'] })).toBe(false);
    expect(check(schema, { texts: [1] })).toBe(false);
  });

  test('still names the place of an issue', () => {
    const checked = toCheckedSchema({ ...numbers, $defs: { ...numbers.$defs, list } }, 'input', 's').check([1, 'a']);
    expect(checked.ok ? [] : checked.issues).toMatchObject([{ path: '/1', keyword: 'type' }]);
  });

  test('may lead back to itself', () => {
    const tree = {
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { kids: { type: 'array', items: { $dynamicRef: '#node' } } },
      unevaluatedProperties: false,
    };
    expect(check(tree, { kids: [{ kids: [{}] }] })).toBe(true);
    expect(check(tree, { kids: [{ kids: [{ z: 1 }] }] })).toBe(false);
  });

  test.each([
    ['an anchor that is not there', { $ref: '#nowhere' }],
    ['a document that is not there', { $id: 'https://example.com/a', $ref: 'b' }],
    ['a document elsewhere', { $id: 'https://example.com/a', $ref: 'https://example.org/b' }],
  ])('is refused where it leads to %s', (_, schema) => {
    expect(codeOf(() => check(schema, 1))).toBe('schema-unsupported');
  });

  test('is refused when its references make too many schemas of it', () => {
    // Each of ten documents may be entered before or after each other: every order of them is a way of its own.
    const names = Array.from({ length: 10 }, (_, index) => `d${index}`);
    const documents = names.map((name) => ({
      $id: name,
      $defs: { own: { $dynamicAnchor: name, type: 'string' } },
      anyOf: names.map((other) => ({ $ref: other })),
    }));
    const schema = {
      anyOf: [{ $ref: 'd0' }],
      $defs: Object.fromEntries(names.map((name, at) => [name, documents[at]])),
    };
    expect(codeOf(() => check(schema, 1))).toBe('schema-unsupported');
  });

  test('is told apart from one that Ajv reads right as it is', () => {
    expect(needsFlattening('{"$ref":"#/$defs/a","$defs":{"a":{"if":{},"then":{}}},"enum":[1]}')).toBe(false);
  });
});

function answerOf(schema: unknown, value: JsonValue): boolean | undefined {
  try {
    return check(schema, value);
  } catch {
    return undefined;
  }
}

describe('Standard Schemas', () => {
  test('describe themselves as JSON Schema with sorted keys', () => {
    const schema = toCheckedSchema(z.object({ b: z.string(), a: z.number().optional() }), 'input', 's');
    expect(JSON.stringify(schema.json)).toBe(
      '{"properties":{"a":{"type":"number"},"b":{"type":"string"}},"required":["b"],"type":"object"}',
    );
  });

  test('may transform: defaults and trimmed texts are part of the checked value', () => {
    const schema = toCheckedSchema(z.object({ a: z.string().trim(), n: z.number().default(3) }), 'input', 's');
    expect(schema.check({ a: ' x ' })).toEqual({ ok: true, value: { a: 'x', n: 3 } });
  });

  test('leave out what is undefined', () => {
    const schema = toCheckedSchema(z.object({ a: z.string().transform(() => undefined) }), 'input', 's');
    const checked = schema.check({ a: 'x' });
    expect(checked).toEqual({ ok: true, value: {} });
  });

  test('name the place of an issue', () => {
    const schema = toCheckedSchema(z.object({ list: z.array(z.object({ n: z.number() })) }), 'input', 's');
    const checked = schema.check({ list: [{ n: 1 }, { n: 'x' }] });
    expect(checked.ok ? undefined : checked.issues[0]?.path).toBe('/list/1/n');
  });

  test.each([
    ['waits for a promise', z.object({ a: z.string().refine(() => Promise.resolve(true)) })],
    ['makes a Date', z.object({ a: z.string().transform((text) => new Date(text)) })],
    ['makes a Map deep inside', z.object({ a: z.string().transform(() => [{ m: new Map() }]) })],
    ['makes NaN', z.object({ a: z.string().transform(Number) })],
    [
      'throws',
      z.object({
        a: z.string().transform(() => {
          throw new TypeError('broken');
        }),
      }),
    ],
  ])('that %s is refused with a code when it is used', (_, schema) => {
    const checked = toCheckedSchema(schema, 'input', 's');
    expect(codeOf(() => checked.check({ a: 'x' }))).toBe('schema-unsupported');
  });

  test('that cannot describe themselves are refused', () => {
    const mute = { '~standard': { version: 1, vendor: 'mute', validate: (value: unknown) => ({ value }) } };
    expect(codeOf(() => toCheckedSchema(mute, 'input', 's'))).toBe('schema-unsupported');
  });
});

describe('a schema that is too large (L13)', () => {
  const wide = (count: number): object => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, place) => [`p${place}`, { type: 'string' }])),
  });

  test('is refused at declaration, before anything of it is compiled', () => {
    expect(() => check(wide(60_000), {})).toThrow(
      'The schema has more than 4000 parts (properties, lists and schemas in them).',
    );
    expect(codeOf(() => toCheckedSchema(wide(60_000), 'input', 's'))).toBe('schema-too-large');
    expect(codeOf(() => toCheckedSchema({ enum: ['x'.repeat(1_000_001)] }, 'input', 's'))).toBe('schema-too-large');
    expect(codeOf(() => toCheckedSchema({ anyOf: Array.from({ length: 4_001 }, () => ({})) }, 'input', 's'))).toBe(
      'schema-too-large',
    );
  });

  test('is refused also where a validator describes itself', () => {
    const shape = Object.fromEntries(Array.from({ length: 4_001 }, (_, place) => [`p${place}`, z.string()]));
    expect(codeOf(() => toCheckedSchema(z.object(shape), 'input', 's'))).toBe('schema-too-large');
  });

  test('is not one that people write', () => {
    expect(check(wide(900), { p1: 'x' })).toBe(true);
    expect(check(wide(900), { p1: 7 })).toBe(false);
  });
});
