import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import type { JsonSchemaObject } from '../../src/contract/tool.ts';
import type { JsonObject, JsonValue } from '../../src/util/json.ts';
import { bindText, toolWith } from './bind-text.ts';

const key = fc
  .stringMatching(/^[a-z][A-Za-z_0-9]{0,8}$/)
  .filter((name) => !['constructor', 'prototype'].includes(name));
const scalar = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e15, min: -1e15 }),
  fc.boolean(),
  fc.constant(null),
);
const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
})).value;
const object = fc.dictionary(key, json, { maxKeys: 5 }).map((value): JsonObject => value);

/** A schema that admits the value, as tight or as loose as the draw makes it. */
function schemaFor(value: JsonValue): fc.Arbitrary<JsonSchemaObject> {
  if (value === null) return fc.constantFrom<JsonSchemaObject>({}, { type: 'null' }, { type: ['null', 'string'] });
  if (Array.isArray(value)) {
    return fc.constantFrom<JsonSchemaObject>({}, { type: 'array' }, { type: ['array', 'string'] });
  }
  if (typeof value === 'object') {
    return fc
      .record({
        members: fc.tuple(...Object.values(value).map((member) => schemaFor(member))),
        closed: fc.boolean(),
        required: fc.boolean(),
        more: key,
      })
      .map(({ members, closed, required, more }) => {
        const names = Object.keys(value);
        const properties = Object.fromEntries(names.map((name, index) => [name, members[index] ?? {}]));
        return {
          type: 'object',
          properties:
            closed && !names.includes(more) ? { ...properties, [more]: { type: 'integer', default: 7 } } : properties,
          ...(closed ? { additionalProperties: false } : {}),
          ...(required ? { required: names } : {}),
        };
      });
  }
  const type = typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
  return fc.constantFrom<JsonSchemaObject>(
    {},
    { type },
    { enum: [value, 'other'] },
    { type: [type, 'null'] },
    { anyOf: [{ type }, { type: 'object' }] },
  );
}

const valid = object.chain((value) => schemaFor(value).map((schema) => ({ value, schema })));
const effect = fc.constantFrom<'read' | 'write'>('read', 'write');

describe('for all arguments', () => {
  test('what is valid passes unchanged, without repairs', () => {
    fc.assert(
      fc.property(valid, effect, fc.constantFrom(0, 2), ({ value, schema }, chosen, spaces) => {
        const text = JSON.stringify(value, null, spaces);
        const binding = bindText(toolWith(schema, chosen), text);
        expect(binding.kind === 'bound' && binding.call.repairs).toBeUndefined();
        expect(binding.kind === 'bound' && JSON.stringify(binding.call.input)).toBe(JSON.stringify(value));
      }),
      { numRuns: 300 },
    );
  });

  test('of a text that is cut anywhere nothing runs', () => {
    const cut = object.chain((value) => {
      const text = JSON.stringify(value);
      return fc.integer({ min: 1, max: text.length - 1 }).map((length) => text.slice(0, length));
    });
    const open: readonly Contract[] = [toolWith({ type: 'object' }, 'read'), toolWith({ type: 'object' }, 'write')];
    fc.assert(
      fc.property(cut, fc.constantFrom('', '```json\n', 'tool(', '\ufeff'), (text, before) => {
        for (const contract of open) {
          const binding = bindText(contract, before + text);
          expect(binding).toMatchObject({ kind: 'refused', failure: { evidence: 'none' } });
        }
      }),
      { numRuns: 500 },
    );
  });

  test('every proper beginning of one call is refused as truncated', () => {
    const text = JSON.stringify({
      to: 'a@b.c',
      body: 'say "hi"\n',
      list: [1, -2.5e-3, true, null, { k: [] }],
      é: '\u0001',
    });
    const contract = toolWith({ type: 'object' }, 'read');
    for (let length = 1; length < text.length; length += 1) {
      expect(bindText(contract, text.slice(0, length))).toMatchObject({ failure: { code: 'arguments-truncated' } });
    }
  });

  test('what is repaired fits the schema, and says what was repaired', () => {
    const noisy = valid.chain(({ value, schema }) =>
      fc.record({
        schema: fc.constant(schema),
        text: fc.constantFrom(
          JSON.stringify(damaged(value)),
          `${JSON.stringify(value).slice(0, -1)},}`,
          JSON.stringify(JSON.stringify(value)),
          JSON.stringify(value).replaceAll('true', 'True').replaceAll('null', 'None'),
        ),
      }),
    );
    let repaired = 0;
    fc.assert(
      fc.property(noisy, effect, ({ schema, text }, chosen) => {
        const contract = toolWith(schema, chosen);
        const binding = bindText(contract, text);
        if (binding.kind === 'refused') return;
        expect(contract.input.check(binding.call.input).ok).toBe(true);
        let same = false;
        try {
          same = JSON.stringify(JSON.parse(text)) === JSON.stringify(binding.call.input);
        } catch {
          // A text that is not JSON was repaired for certain.
        }
        const repairs = binding.call.repairs?.length ?? 0;
        expect(same || repairs > 0).toBe(true);
        repaired += repairs;
      }),
      { numRuns: 500 },
    );
    expect(repaired).toBeGreaterThan(50);
  });

  test('a text of any characters is read or refused, never thrown at', () => {
    const alphabet = fc.constantFrom(
      ...Array.from('{}[]",:\'\\ntrue0123456789.eE+-/* \n\t`abNone'),
      '\ud800',
      '\u{1f600}',
      'é',
      '\u0000',
    );
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 60 }), effect, (characters, chosen) => {
        const binding = bindText(toolWith({ type: 'object' }, chosen), characters.join(''));
        if (binding.kind === 'refused') expect(binding.failure.code).toMatch(/^arguments-/);
      }),
      { numRuns: 2000 },
    );
  });
});

/** The value with its scalars as texts, as models like to send them. */
function damaged(value: JsonValue): JsonValue {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return JSON.stringify(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toUpperCase(), damaged(member)]));
}
