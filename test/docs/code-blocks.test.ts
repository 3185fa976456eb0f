import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readSources, readText, root } from '../house/imports.ts';
import {
  commandFault,
  type DocumentPlan,
  missingPrograms,
  planDocument,
  runDocument,
  typeCheck,
  writeDocument,
} from './code-blocks.ts';

mkdirSync(join(root, '.scratch'), { recursive: true });
// Inside the repository, so that the name `axle` leads to its source and the other packages are found.
const scratch = mkdtempSync(join(root, '.scratch/docs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const scripts = (JSON.parse(readText('package.json')) as { scripts: Record<string, string> }).scripts;
const documents = ['README.md', 'CONTRIBUTING.md', ...readSources('docs', '.md').keys()];
const plans = documents.map((name) => ({ name, plan: planDocument(name, readText(name)) }));
/** Blocks that only some machines can run. */
const needy = plans.flatMap(({ name, plan }) => {
  const programs = plan.programs.filter(({ needs }) => needs.length > 0);
  return programs.length === 0 ? [] : [{ name, plan: { ...plan, programs } }];
});

function folderOf(name: string): string {
  return join(scratch, name.replaceAll('/', '-').replace(/\.md$/, ''));
}

describe('the code blocks of the documents', () => {
  for (const { name, plan } of plans) writeDocument(folderOf(name), plan);

  test('have the right types', { timeout: 60_000 }, async () => {
    // An empty set of files would be an error of its own to the compiler.
    if (plans.every(({ plan }) => plan.programs.length === 0)) return;
    expect(await typeCheck(scratch)).toBe('');
  });

  test.each(plans.filter(({ plan }) => plan.programs.length > 0))(
    'of $name run and print what they promise',
    { timeout: 300_000 },
    async ({ name, plan }) => {
      const programs = plan.programs.filter(({ needs }) => needs.length === 0);
      expect(await runDocument(folderOf(name), { ...plan, programs })).toEqual([]);
    },
  );

  test.for(needy)(
    'of $name that need other programs do so too',
    { timeout: 300_000 },
    async ({ name, plan }, { skip }) => {
      const missing = missingPrograms(plan.programs.flatMap(({ needs }) => needs));
      skip(missing.length > 0, `this machine has no ${missing.join(', ')}`);
      expect(await runDocument(folderOf(name), plan)).toEqual([]);
    },
  );

  test.each(plans)('of $name that are not run name only what exists', { timeout: 120_000 }, async ({ plan }) => {
    const faults = [...plan.faults];
    for (const command of plan.commands) {
      const fault = await commandFault(command, scripts);
      if (fault !== undefined) faults.push(`${command.place}: ${command.line}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });
});

describe('the test of the code blocks itself', () => {
  const fence = '```';
  const block = (language: string, text: string, ...notes: readonly string[]): string =>
    `${notes.map((note) => `<!-- ${note} -->\n`).join('')}${fence}${language}\n${text}\n${fence}\n\n`;
  const outcome = async (
    name: string,
    document: string,
  ): Promise<{ plan: DocumentPlan; faults: readonly string[] }> => {
    const plan = planDocument(name, document);
    writeDocument(join(scratch, name), plan);
    return { plan, faults: await runDocument(join(scratch, name), plan) };
  };

  test('a later block imports an earlier one, a replaced file keeps what was left behind', async () => {
    const document = [
      block('ts', `export const word: string = 'first';\nconsole.log(word);`, 'file: word.ts', 'expect: first'),
      block(
        'ts',
        `import { writeFileSync } from 'node:fs';\nimport { word } from './word.ts';\nwriteFileSync('left', word);\nconsole.log('wrote', word);`,
        'expect: wrote first',
      ),
      block('ts', `export const word: string = 'second';\nconsole.log(word);`, 'file: word.ts', 'expect: second'),
      block('sh', 'cat left; exit 3', 'run', 'expect: first', 'exit: 3'),
    ].join('');
    const { plan, faults } = await outcome('self-a', document);
    expect(plan.faults).toEqual([]);
    expect(faults).toEqual([]);
    expect(plan.programs.map((program) => program.generation)).toEqual(['0', '0', '1', '1']);
  });

  test('a program that fails and one that prints something else are reported', async () => {
    const { faults } = await outcome(
      'self-b',
      block('ts', `throw new Error('no');`, 'expect: x') + block('ts', `console.log('y');`, 'expect: x'),
    );
    expect(faults).toHaveLength(2);
    expect(faults[0]).toContain('self-b:2 ended with 1');
    expect(faults[1]).toContain('self-b:7 ended with 0, without printing "x"');
  });

  test('a block with a wrong type is reported', { timeout: 60_000 }, async () => {
    const folder = join(scratch, 'self-c');
    writeDocument(folder, planDocument('self-c', block('ts', `const a: number = 'x';\nconsole.log(a);`, 'expect: x')));
    expect(await typeCheck(folder)).toContain('error TS2322');
    rmSync(folder, { recursive: true });
  });

  test('a block that promises nothing and a language that would escape are reported', () => {
    const { faults } = planDocument(
      'self-d',
      block('ts', 'void 0;') + block('bash', 'ls') + block('ts', '', 'not-run'),
    );
    expect(faults).toHaveLength(3);
  });

  test.each([
    ['npm run missing', 'there is no script "missing"'],
    ['npm run -s sim -- --json', undefined],
    ['npm start', undefined],
    ['node missing.ts', 'there is no missing.ts'],
    ['node agent.ts', undefined],
    ['rm -rf /', '"rm" is not known here'],
    ['# a comment', undefined],
  ])('of the line "%s" it says: %s', async (line, fault) => {
    expect(await commandFault({ line, files: ['agent.ts'] }, scripts)).toBe(fault);
  });
});
