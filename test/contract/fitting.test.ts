import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../src/contract/tool.ts';
import type { JsonSchemaObject } from '../../src/contract/tool.ts';
import { bindText, messageOf, outcomeOf, toolOf, toolWith } from './bind-text.ts';

const send = (value: unknown): string => JSON.stringify(value);

/** Binds one value of a tool with a side effect to the schema of its only property. */
function one(schema: JsonSchemaObject, value: unknown): { input?: unknown; rules?: string[]; code?: string } {
  const outcome = outcomeOf(toolOf({ v: schema }, ['v'], 'write'), send({ v: value }));
  const input = outcome.input as { v: unknown } | undefined;
  return input === undefined ? outcome : { input: input.v, rules: outcome.rules ?? [] };
}

describe('a value whose kind does not fit', () => {
  test.each<[JsonSchemaObject, unknown, unknown, string]>([
    [{ type: 'boolean' }, 'True', true, 'string-to-boolean'],
    [{ type: 'boolean' }, 'false', false, 'string-to-boolean'],
    [{ type: 'integer' }, '200000', 200_000, 'string-to-number'],
    [{ type: 'integer' }, '-3.0', -3, 'string-to-number'],
    [{ type: 'number' }, '0.5', 0.5, 'string-to-number'],
    [{ type: 'number' }, '1e3', 1000, 'string-to-number'],
    [{ type: ['integer', 'null'] }, '5', 5, 'string-to-number'],
    [{ enum: [1, 2] }, '2', 2, 'string-to-number'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '5', 5, 'string-to-number'],
    [{ type: 'array', items: { type: 'string' } }, '["a","b"]', ['a', 'b'], 'string-to-array'],
    [{ type: 'array', items: { type: 'string' } }, "['O\\'Hara', 'b']", ["O'Hara", 'b'], 'string-to-array'],
    [{ type: 'array', items: { type: 'string' } }, '["a","b",]', ['a', 'b'], 'string-to-array'],
    [{ type: 'object' }, '{"a":{"b":1}}', { a: { b: 1 } }, 'string-to-object'],
    [{ type: 'string' }, 25, '25', 'number-to-string'],
    [{ type: 'string', enum: ['North', 'South'] }, 'north', 'North', 'enum-case'],
    [{ const: 'EUR' }, 'eur', 'EUR', 'enum-case'],
  ])('is fitted where it spells exactly one that does: %j %j', (schema, value, fitted, rule) => {
    expect(one(schema, value)).toEqual({ input: fitted, rules: [rule] });
  });

  test.each<[string, JsonSchemaObject, unknown]>([
    ['a word for a truth', { type: 'boolean' }, 'yes'],
    ['a number for a truth', { type: 'boolean' }, 1],
    ['an empty text for a number', { type: 'number' }, ''],
    ['zeros before a number', { type: 'integer' }, '007'],
    ['a number with a unit', { type: 'number' }, '5 kg'],
    ['an expression', { type: 'number' }, '6*30.48'],
    ['a fraction for a whole number', { type: 'integer' }, '5.2'],
    ['a fraction in the value itself', { type: 'integer' }, 5.2],
    ['more digits than a number holds', { type: 'integer' }, '9007199254740993'],
    ['more decimals than a number holds', { type: 'number' }, '0.12345678901234567'],
    ['one value for a list', { type: 'array', items: { type: 'string' } }, 'vegan'],
    ['a list written with commas', { type: 'array', items: { type: 'string' } }, 'tolls,highways'],
    ['a list that ends in the middle', { type: 'array', items: { type: 'string' } }, '["a","b'],
    ['two lists', { type: 'array', items: { type: 'string' } }, '["a"]["b"]'],
    ['a list for one value', { type: 'string' }, ['a']],
    ['an object for a text', { type: 'string' }, { description: 'a' }],
    ['a truth for a text', { type: 'string' }, true],
    ['null for what is required', { type: 'integer' }, null],
    ['a value that is not listed', { enum: ['North', 'South'] }, 'All'],
    ['a listed value with a space', { enum: ['<', '>'] }, '> '],
    ['a part of a listed value', { enum: ['six_months', 'year'] }, 'last year'],
    ['a case that fits two listed values', { enum: ['Ab', 'aB'] }, 'ab'],
    ['a text for a null', { type: 'null' }, 'null'],
    ['a date for a number', { type: 'integer', format: 'epoch-ms' }, '2026-03-23'],
  ])('is refused where that would be a guess: %s', (_, schema, value) => {
    expect(one(schema, value).code).toBe('arguments-invalid');
  });

  test.each<[JsonSchemaObject, unknown]>([
    [{ type: 'string' }, '42'],
    [{ type: ['string', 'number'] }, '42'],
    [{ type: ['string', 'array'] }, '["a"]'],
    [{}, '42'],
    [{ type: 'string' }, '["a"]'],
    [{ type: 'string', enum: ['north', 'NORTH'] }, 'NORTH'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, '42'],
    [{ type: ['integer', 'null'] }, null],
    [{ type: 'string' }, 'null'],
  ])('is none where the schema admits it, whatever it looks like: %j %j', (schema, value) => {
    expect(one(schema, value)).toEqual({ input: value, rules: [] });
  });
});

describe('null for an optional', () => {
  const optional = (schema: JsonSchemaObject): ReturnType<typeof toolOf> => toolOf({ v: schema }, [], 'write');

  test('is dropped, or replaced by the default that the schema names', () => {
    expect(outcomeOf(optional({ type: 'string' }), '{"v":null}')).toEqual({ input: {}, rules: ['null-to-absent'] });
    expect(outcomeOf(optional({ type: 'integer', default: 20 }), '{"v":null}')).toEqual({
      input: { v: 20 },
      rules: ['null-to-default'],
    });
  });

  test('is dropped where the default itself would not fit', () => {
    expect(outcomeOf(optional({ type: 'boolean', default: 'false' }), '{"v":null}').input).toEqual({});
    expect(outcomeOf(optional({ enum: ['a'], default: 'b' }), '{"v":null}').input).toEqual({});
  });

  test('stays where the schema admits it', () => {
    expect(outcomeOf(optional({ type: ['string', 'null'] }), '{"v":null}')).toEqual({ input: { v: null }, rules: [] });
    expect(outcomeOf(optional({}), '{"v":null}')).toEqual({ input: { v: null }, rules: [] });
  });

  test('a default is not filled in where nothing was sent: the call is valid as it is', () => {
    expect(outcomeOf(optional({ type: 'integer', default: 20 }), '{}')).toEqual({ input: {}, rules: [] });
  });
});

describe('keys', () => {
  const address = { zip_code: { type: 'string' }, streetName: { type: 'string' }, note: { type: 'string' } };

  test.each([
    ['{"zipCode":"1","streetName":"a"}', { zip_code: '1', streetName: 'a' }],
    ['{"zip-code":"1","street_name":"a"}', { zip_code: '1', streetName: 'a' }],
    ['{"ZIP_CODE":"1","streetName":"a","Note":"n"}', { zip_code: '1', streetName: 'a', note: 'n' }],
  ])('in another spelling are known, for every tool: %s', (text, input) => {
    expect(outcomeOf(toolOf(address, ['zip_code', 'streetName'], 'write'), text)).toEqual({
      input,
      rules: ['key-spelling'],
    });
  });

  test('with one wrong letter are known for a read, when they are required', () => {
    const text = '{"treshold":1}';
    expect(outcomeOf(toolOf({ threshold: { type: 'number' } }, ['threshold']), text)).toEqual({
      input: { threshold: 1 },
      rules: ['key-typo'],
    });
    expect(outcomeOf(toolOf({ threshold: { type: 'number' } }, ['threshold'], 'write'), text).code).toBe(
      'arguments-invalid',
    );
    expect(outcomeOf(toolOf({ threshold: { type: 'number' } }), text).code).toBe('arguments-invalid');
  });

  test.each([
    ['a digit is no slip', { side1: { type: 'number' } }, 'side2'],
    ['a short name is alike by chance', { from: { type: 'number' } }, 'form'],
    ['two names are near', { dataset_A: { type: 'number' }, dataset_B: { type: 'number' } }, 'dataset_C'],
    ['an underscore before a name tells it apart', { _class: { type: 'number' } }, 'class'],
    ['another word is another word', { location: { type: 'number' } }, 'place'],
  ])('are not guessed: %s', (_, properties, key) => {
    expect(outcomeOf(toolOf(properties, [Object.keys(properties)[0] ?? '']), send({ [key]: 1 })).code).toBe(
      'arguments-invalid',
    );
  });

  test('two of which mean the same one are refused', () => {
    expect(outcomeOf(toolOf(address, ['zip_code']), '{"zipCode":"1","ZipCode":"2"}').code).toBe('arguments-invalid');
    expect(outcomeOf(toolOf(address, ['zip_code']), '{"zip_code":"1","zipCode":"2"}').code).toBe('arguments-invalid');
  });

  test('that the tool does not know are dropped for a read, with a record, and refused for a side effect', () => {
    const text = '{"note":"n","year":2023}';
    const binding = bindText(toolOf(address), text);
    expect(binding.kind === 'bound' && binding.call).toMatchObject({
      input: { note: 'n' },
      repairs: [{ rule: 'unknown-key', path: '/year', before: 2023 }],
    });
    expect(messageOf(toolOf(address, [], 'write'), text)).toContain(
      'year is not a parameter (known: note, streetName, zip_code)',
    );
    expect(outcomeOf(toolOf(address, [], 'idempotent'), text).code).toBe('arguments-invalid');
  });

  test('that are unknown and null say nothing, so they are dropped for every tool', () => {
    expect(outcomeOf(toolOf(address, [], 'write'), '{"year":null}')).toEqual({
      input: {},
      rules: ['unknown-null-key'],
    });
  });

  test('that are nearly known are never dropped', () => {
    expect(
      messageOf(
        toolOf({ doc: { type: 'string' }, threshold: { type: 'number' } }, ['doc']),
        '{"doc":"d","treshold":0.9}',
      ),
    ).toContain('treshold is not a parameter (did you mean threshold?)');
  });

  test('of an open object are left alone', () => {
    const open = toolWith({ type: 'object', properties: { a: { type: 'string' } } }, 'write');
    expect(outcomeOf(open, '{"A":1,"year":2}')).toEqual({ input: { A: 1, year: 2 }, rules: [] });
  });

  test('named like members of every object are keys like others', () => {
    expect(outcomeOf(toolOf({ toString: { type: 'string' } }, ['toString'], 'write'), '{}').code).toBe(
      'arguments-invalid',
    );
    expect(outcomeOf(toolOf({ valueOf: { type: 'string' } }, [], 'write'), '{"valueOf":"x"}').input).toEqual({
      valueOf: 'x',
    });
  });
});

describe('deeper places', () => {
  test('are fitted inside arrays, objects, references and the one alternative that can be meant', () => {
    const schema = {
      type: 'object',
      required: ['shapes'],
      properties: {
        shapes: { type: 'array', items: { oneOf: [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/box' }] } },
      },
      $defs: {
        circle: {
          type: 'object',
          properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
          required: ['kind', 'radius'],
          additionalProperties: false,
        },
        box: {
          type: 'object',
          properties: { kind: { const: 'box' }, sides: { type: 'array', items: { type: 'number' } } },
          required: ['kind', 'sides'],
          additionalProperties: false,
        },
      },
    };
    const binding = bindText(
      toolWith(schema, 'write'),
      '{"shapes":"[{\\"kind\\":\\"circle\\",\\"radius\\":\\"2\\"},{\\"kind\\":\\"box\\",\\"sides\\":[\\"1\\"]}]"}',
    );
    expect(binding.kind === 'bound' && binding.call).toMatchObject({
      input: {
        shapes: [
          { kind: 'circle', radius: 2 },
          { kind: 'box', sides: [1] },
        ],
      },
      repairs: [
        { rule: 'string-to-array', path: '/shapes' },
        { rule: 'string-to-number', path: '/shapes/0/radius', before: '2', after: 2 },
        { rule: 'string-to-number', path: '/shapes/1/sides/0', before: '1', after: 1 },
      ],
    });
  });

  test('take a text for the one kind of several that it spells', () => {
    expect(one({ anyOf: [{ type: 'integer' }, { type: 'boolean' }] }, 'true')).toEqual({
      input: true,
      rules: ['string-to-boolean'],
    });
  });

  test('that several alternatives could be meant for are left alone', () => {
    const shapes = ['integer', 'boolean'].map((type) => ({ type: 'object', properties: { a: { type } } }));
    expect(one({ anyOf: shapes }, { a: '1' }).code).toBe('arguments-invalid');
  });

  test('a schema that leads back to itself ends', () => {
    const schema = {
      type: 'object',
      properties: { kids: { type: 'array', items: { $ref: '#' } }, n: { type: 'integer' } },
    };
    expect(outcomeOf(toolWith(schema, 'write'), '{"kids":[{"kids":[{"n":"5"}]}]}').input).toEqual({
      kids: [{ kids: [{ n: 5 }] }],
    });
  });

  test('parts that all must hold are fitted one after the other', () => {
    const schema = {
      allOf: [{ type: 'object', properties: { a: { type: 'integer' } } }, { properties: { b: { type: 'boolean' } } }],
    };
    expect(outcomeOf(toolWith(schema, 'write'), '{"a":"1","b":"true"}').input).toEqual({ a: 1, b: true });
  });
});

describe('what needs more than a hundred corrections', () => {
  const tool = toolOf({ list: { type: 'array', items: { type: 'integer' } } }, ['list']);
  const numbers = (count: number): string => send({ list: Array.from({ length: count }, (_, index) => String(index)) });

  test('is refused, so that every correction of a call that runs is recorded', () => {
    const binding = bindText(tool, numbers(99));
    expect(binding.kind === 'bound' && binding.call.repairs).toHaveLength(99);
    expect(messageOf(tool, numbers(101))).toContain('they need more corrections than can be believed');
  });

  test('is refused as well when it is unknown keys', () => {
    const text = send(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`key${index}`, 1])));
    expect(outcomeOf(toolOf({ a: { type: 'string' } }), text).code).toBe('arguments-invalid');
  });
});

describe('a number as it was written', () => {
  test.each([
    ['1.50', '1.50'],
    ['1e3', '1e3'],
    ['100', '100'],
    ['007', '007'],
  ])('becomes the text %s', (written, text) => {
    expect(outcomeOf(toolOf({ code: { type: 'string' } }, ['code'], 'write'), `{"code":${written}}`)).toEqual({
      input: { code: text },
      rules: ['number-to-string'],
    });
  });
});

describe('a Standard Schema', () => {
  const make = (effect: 'read' | 'write'): ReturnType<typeof tool> =>
    tool({
      name: 'tool',
      description: 'd',
      effect,
      input: z.object({ query: z.string(), limit: z.number().default(10), deep: z.object({ n: z.int() }).optional() }),
      execute: () => null,
    });

  test('is repaired by what it says of itself, and fills its own defaults', () => {
    expect(outcomeOf(make('write'), '{"Query":"q","deep":{"n":"3"}}')).toEqual({
      input: { query: 'q', limit: 10, deep: { n: 3 } },
      rules: ['key-spelling', 'string-to-number'],
    });
  });

  test('that strips unknown keys does so for a read with a record, and not at all for a side effect', () => {
    const text = '{"query":"q","deep":{"n":1,"extra":true}}';
    const binding = bindText(make('read'), text);
    expect(binding.kind === 'bound' && binding.call).toMatchObject({
      input: { query: 'q', limit: 10, deep: { n: 1 } },
      repairs: [{ rule: 'unknown-key', path: '/deep/extra', before: true }],
    });
    expect(messageOf(make('write'), text)).toContain('deep.extra is not a parameter');
    expect(messageOf(make('read'), '{"query":"q","limits":5}')).toContain('did you mean limit?');
  });
});
