import { expect, expectTypeOf, test } from 'vitest';
import { defined } from '../../src/util/defined.ts';

test('keeps the fields that have a value, also null and false, and types the others as absent', () => {
  const note: string | undefined = undefined;
  const by: string | undefined = ['ann'][0];
  const kept = defined({ note, by, answer: null, done: false });
  expect(Object.entries(kept)).toEqual([
    ['by', 'ann'],
    ['answer', null],
    ['done', false],
  ]);
  expectTypeOf(defined({ by, done: true })).toExtend<{ readonly by?: string; readonly done: boolean }>();
});
