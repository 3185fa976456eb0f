import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatedKeyIn } from '../../src/util/repeated-key.ts';

test.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":{"b":[{"c":1,"d":2},{"c":1,"c":1}]}}', 'c'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"":1,"":2}', ''],
  ['{"x\\"":1,"y":["x\\"",{}],"x\\"":2}', 'x"'],
  ['{"a":1,"b":{"a":1},"c":["a","a","b"]}', undefined],
  ['{"a":"a","b":"\\\\","c":"\\\\\\""}', undefined],
  ['["a","a"]', undefined],
  ['"a"', undefined],
])('in %s it finds %s', (text, found) => {
  expect(() => JSON.parse(text) as unknown).not.toThrow();
  expect(repeatedKeyIn(text)).toBe(found);
});

test('whatever JSON.stringify writes has no key twice, and a key that is written once more is found', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (object, place) => {
      const text = JSON.stringify(object);
      expect(repeatedKeyIn(text)).toBeUndefined();
      const keys = Object.keys(object);
      const key = keys[place % keys.length] ?? '';
      expect(repeatedKeyIn(`${text.slice(0, -1)},${JSON.stringify(key)}:0}`)).toBe(key);
    }),
  );
});
