import { expect, test } from 'vitest';
import { errorCatalogue } from '../../src/error/catalogue.ts';
import { readText } from './imports.ts';
import { codeWords, tableRows } from './markdown.ts';

test('docs/errors.md lists every code with the words of the catalogue, and no other (npm run documents writes it)', () => {
  const documented = tableRows(readText('docs/errors.md'), 'code', 'class', 'meaning', 'remedy').map((row) => ({
    code: codeWords(row.get('code') ?? '')[0],
    class: row.get('class'),
    meaning: row.get('meaning'),
    remedy: row.get('remedy'),
  }));
  const codes = Object.entries(errorCatalogue).map(([code, entry]) => ({ code, ...entry }));
  expect(codes.length).toBeGreaterThan(10);
  expect(documented).toEqual(codes);
});
