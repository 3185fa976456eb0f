import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repairRules } from '../../src/contract/repair/rules.ts';

test('docs/repair.md lists every rule, and only those, with its words and whether side effects may use it', () => {
  const document = readFileSync(new URL('../../docs/repair.md', import.meta.url), 'utf8');
  const rows = document.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(
    Object.entries(repairRules).map(
      ([rule, { what, sideEffects }]) => `| \`${rule}\` | ${what} | ${sideEffects ? 'yes' : 'no'} |`,
    ),
  );
});
