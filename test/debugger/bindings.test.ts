import { expect, test } from 'vitest';
import { bindings } from '../../debugger/src/keys/bindings.ts';

test('no key means two things', () => {
  const keys = bindings.flatMap((binding) => [...binding.keys]);
  expect(keys.filter((key, place) => keys.indexOf(key) !== place)).toEqual([]);
});

test('no key is the beginning of another', () => {
  const keys: readonly string[] = bindings.flatMap((binding) => [...binding.keys]);
  expect(keys.filter((key) => keys.some((other) => other.startsWith(`${key} `)))).toEqual([]);
});
