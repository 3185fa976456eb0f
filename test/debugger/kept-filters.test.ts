import { anything, array, assert, constantFrom, property, record, string } from 'fast-check';
import { expect, test } from 'vitest';
import { filterText, forgetting, keeping, mostKept, readKept } from '../../debugger/src/runs/kept-filters.ts';

const filters = record(
  { state: constantFrom('active', 'ended'), subject: string({ minLength: 1 }), session: string({ minLength: 1 }) },
  { requiredKeys: ['state'] },
);

test('a filter that is kept is there once, at the end, and gone when it is forgotten', () => {
  assert(
    property(array(filters, { maxLength: 30 }), filters, (before, filter) => {
      const text = before.reduce(keeping, '[]');
      const kept = readKept(keeping(keeping(text, filter), filter));
      expect(kept.length).toBeLessThanOrEqual(mostKept);
      expect(kept.at(-1)).toEqual(filter);
      expect(kept.filter((each) => filterText(each) === filterText(filter))).toHaveLength(1);
      expect(readKept(forgetting(keeping(text, filter), filter))).not.toContainEqual(filter);
    }),
  );
});

test('whatever stands where they are kept is read as filters or as none', () => {
  assert(
    property(array(array(anything())), string(), (values, text) => {
      for (const kept of [readKept(text), readKept(JSON.stringify(values))]) {
        expect(kept.length).toBeLessThanOrEqual(mostKept);
        for (const word of kept.flatMap((each) => Object.values(each) as unknown[])) expect(word).toBeTypeOf('string');
      }
    }),
  );
});
