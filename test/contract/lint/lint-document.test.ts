import { expect, test } from 'vitest';
import { lintRules } from '../../../src/contract/lint/lint-tools.ts';
import { readText } from '../../house/imports.ts';
import { tableRows } from '../../house/markdown.ts';

test('docs/lint.md lists every rule with its severity and what it looks for, and no other', () => {
  const rows = tableRows(readText('docs/lint.md'), 'rule', 'severity', 'what it looks for');
  expect(rows.map((row) => [row.get('rule'), row.get('severity'), row.get('what it looks for')])).toEqual(
    lintRules.map(({ id, severity, about }) => [`\`${id}\``, severity, about]),
  );
});
