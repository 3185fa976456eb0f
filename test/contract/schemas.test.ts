import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toCheckedSchema } from '../../src/contract/schema/checked-schema.ts';
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

  test('agree with the public test suite of 2020-12, apart from the cases that Ajv is known to miss', () => {
    interface Suite {
      readonly id: string;
      readonly schema: unknown;
      readonly tests: readonly (readonly [JsonValue, boolean])[];
    }
    const missed = new Set<string>();
    let right = 0;
    let all = 0;
    for (const { id, schema, tests } of committedCases('json_schema_2020_12.jsonl') as readonly Suite[]) {
      for (const [value, valid] of tests) {
        all += 1;
        let found: boolean | undefined;
        try {
          found = check(schema, value);
        } catch {
          found = undefined;
        }
        if (found === valid) right += 1;
        else missed.add(id);
      }
    }
    // References by anchors that move with the caller, an enum of nothing, a property named __proto__, circles between documents.
    expect([...missed]).toEqual([
      'S026',
      'S054',
      'S163',
      'S176',
      'S186',
      'S187',
      'S189',
      'S190',
      'S195',
      'S196',
      'S198',
      'S199',
      'S217',
      'S223',
    ]);
    expect(right / all).toBeGreaterThan(0.94);
  });
});

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
