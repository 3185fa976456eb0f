import { describe, expect, test } from 'vitest';
import { readSources, readText } from './imports.ts';
import { proofDocuments } from './proofs-reporter.ts';
import { isProof, proofFaults, readProofs } from './proofs.ts';

/** How many capabilities each group has. */
const groups: Readonly<Record<string, number>> = { T: 20, A: 15, S: 9, P: 7, Y: 12, O: 8, I: 8, D: 8 };
const capabilities = Object.entries(groups).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
);

describe('the documents that name tests as proof', () => {
  // It reads every test, which takes long where others work too.
  test.each(proofDocuments)('every test that $path names exists and runs', { timeout: 120_000 }, (document) => {
    const { proofs, faults } = readProofs(readText(document.path), document);
    expect([...faults, ...proofFaults(proofs, readSources('test', '.ts'))]).toEqual([]);
  });

  test('docs/requirements.md has a row for every capability, and docs/architecture.md one for every check', () => {
    const [requirements, checks] = proofDocuments.map((document) => readProofs(readText(document.path), document).ids);
    expect(requirements).toEqual(capabilities);
    expect(checks).toEqual(Array.from({ length: 44 }, (_, index) => `R${index + 1}`).concat('R45'));
  });

  test('every check belongs to a law, R45 to all of them', () => {
    const laws = readText('docs/architecture.md').matchAll(/^\| L\d+ \|.*\| ([R\d ]+) \|$/gm);
    const assigned = new Set([...laws].flatMap((match) => (match[1] ?? '').split(' ')));
    expect([...assigned].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))).toEqual(
      Array.from({ length: 44 }, (_, index) => `R${index + 1}`),
    );
  });
});

describe('their test itself', () => {
  const sources = new Map([
    [
      'test/a/a.test.ts',
      `import { suite } from './suite.ts';
       describe('a block', () => { test('that works', () => {}); it.skip('that is skipped', () => {}); });
       describe.skip('a skipped block', () => { test('inside', () => {}); });
       test.each([1])('with %i things', () => {});
       suite();`,
    ],
    ['test/a/suite.ts', `export function suite() { test('from a suite', () => {}); }`],
  ]);
  const faultsOf = (cell: string): readonly string[] => {
    const document = `| id | proved by |\n| --- | --- |\n| T1 | ${cell} |\n`;
    const { proofs, faults } = readProofs(document, { id: 'id', proof: 'proved by' });
    return [...faults, ...proofFaults(proofs, sources)];
  };

  test.each([
    ['not yet'],
    ['`test/a/a.test.ts › that works`'],
    ['`test/a/a.test.ts › a block › that works`, `test/a/a.test.ts › with %i things`'],
    ['`test/a/a.test.ts › from a suite`'],
  ])('accepts %s', (cell) => {
    expect(faultsOf(cell)).toEqual([]);
  });

  test.each([
    ['`test/b.test.ts › that works`', 'there is no test/b.test.ts'],
    ['`test/a/a.test.ts › that vanished`', 'has no test "that vanished"'],
    ['`test/a/a.test.ts › another block › that works`', 'has no test "another block › that works"'],
    ['`test/a/a.test.ts › that is skipped`', 'does not run: .skip'],
    ['`test/a/a.test.ts › inside`', 'does not run: .skip'],
    ['`test/a/suite.ts › from a suite`', 'is not of the form'],
    ['soon', 'is neither'],
    ['', 'is neither'],
  ])('reports %s', (cell, fault) => {
    expect(faultsOf(cell).join('\n')).toContain(fault);
  });

  test('a title of a table matches what it becomes when it runs', () => {
    const proof = { id: 'T1', file: 'test/a/a.test.ts', path: ['a block', 'with %i things'] };
    expect(isProof(['outer', 'a block', 'with 3 things'], proof)).toBe(true);
    expect(isProof(['a block', 'with 3 things at most'], proof)).toBe(false);
    expect(isProof(['with 3 things'], proof)).toBe(false);
  });
});
