import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAxleError } from '../../src/error/axle-error.ts';
import { toJson, type JsonValue } from '../../src/util/json.ts';

describe('what is kept as JSON', () => {
  test('survives being written and read, whatever was handed in (J1)', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true });
    const known = fc.constantFrom(-0, [-0], { zero: -0 }, Number.NaN, '\uD800', new Error('no'));
    fc.assert(
      fc.property(fc.oneof(anything, known), (value) => {
        const json = storable(value);
        const copy: unknown = JSON.parse(JSON.stringify(json));
        expect(copy).toStrictEqual(json);
      }),
    );
  });

  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['binary data', new Uint8Array(2)],
    ['a key that would change the prototype', JSON.parse('{"__proto__":1}')],
    ['nested deeper', nested(101)],
  ])('%s is refused with its path', (what, value) => {
    expect(() => toJson({ here: value })).toThrow(
      expect.objectContaining({
        code: 'value-not-storable',
        message: expect.stringMatching(new RegExp(`at /here.*${what}`)) as unknown,
      }),
    );
  });
});

/** As JSON data; skips the few values that are none, such as one with a key `__proto__`. */
function storable(value: unknown): JsonValue {
  try {
    return toJson(value);
  } catch (error) {
    fc.pre(!isAxleError(error, 'value-not-storable'));
    throw error;
  }
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
