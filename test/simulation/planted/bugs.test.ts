import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changed, inRepository } from './apply.ts';
import { plantedBugs } from './bugs.ts';

test.each(plantedBugs)(
  'the bug "$name" can still be planted: its text is in the code exactly once',
  ({ name, patches }) => {
    for (const patch of patches) {
      const text = readFileSync(inRepository(patch.file), 'utf8');
      expect(changed(text, patch, name)).not.toBe(text);
    }
  },
);

test('a bug whose text is not there is not planted quietly', () => {
  const patch = { file: 'src/x.ts', find: 'await synced();', replace: '' };
  expect(() => changed('await other();', patch, 'gone')).toThrow(/found 0 times/u);
  expect(() => changed('await synced(); await synced();', patch, 'twice')).toThrow(/found 2 times/u);
  expect(changed('await\n    synced();', patch, 'reformatted')).toBe('');
});

test('at least fourteen bugs are planted, under names of their own', () => {
  expect(plantedBugs.length).toBeGreaterThanOrEqual(14);
  expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
});
