import { expect, test } from 'vitest';
import { entryTypes } from '../../src/journal/entry-types.ts';
import { readText } from './imports.ts';
import { codeWords, tableRows } from './markdown.ts';

test('docs/events.md explains every entry type, in the order of the source, and no other', () => {
  const rows = tableRows(readText('docs/events.md'), 'entry', 'written when', 'carries');
  expect(entryTypes.length).toBeGreaterThan(10);
  expect(rows.map((row) => codeWords(row.get('entry') ?? '')[0])).toEqual([...entryTypes]);
  for (const row of rows) expect([...row.values()].every((cell) => cell !== '')).toBe(true);
});
