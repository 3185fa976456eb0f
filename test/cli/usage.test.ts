import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { parseCommand } from '../../src/cli/parse-command.ts';
import { isAxleError } from '../../src/error/axle-error.ts';
import { Folder } from './command.ts';

function faultOf(...words: readonly string[]): string {
  try {
    parseCommand(words, commands);
  } catch (error) {
    if (isAxleError(error, 'usage-invalid')) return error.message;
    throw error;
  }
  throw new Error(`No fault in: ${words.join(' ')}`);
}

describe('a command line', () => {
  test.each([
    [['aprove', 'last'], 'There is no command aprove. Is approve meant?'],
    [['show'], 'axle show needs RUN.'],
    [['show', 'last', 'more'], 'axle show does not take more.'],
    [['show', 'last', '--entires'], 'axle show has no option --entires. Is --entries meant?'],
    [['runs', '--limit'], '--limit needs COUNT.'],
    [['show', 'last', '--entries=yes'], '--entries takes no value.'],
    [['runs', '--limit', '1', '--limit', '2'], '--limit is given twice.'],
    [['--jsno'], 'axle has no option --jsno. Is --json meant?'],
    [['resume', 'last', '-x'], 'axle resume has no option -x.'],
  ])('%j is refused in words', (words, message) => {
    expect(faultOf(...words)).toBe(message);
  });

  test('may have the options of every command before the command and after it', () => {
    const parsed = parseCommand(['--store', 'a.db', '--json', 'send', 'last', '--', '--text'], commands);
    expect(parsed?.command.name).toBe('send');
    expect(parsed?.positionals).toEqual(['last', '--text']);
    expect([...(parsed?.options ?? [])]).toEqual([
      ['store', 'a.db'],
      ['json', true],
    ]);
  });

  test(
    'that is wrong ends with 2, and tells why and what to do, in words or as JSON',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder('');
      const words = await folder.axle('aprove', 'last');
      expect(words).toMatchObject({ code: 2, stdout: '' });
      expect(words.stderr).toBe(
        'axle: There is no command aprove. Is approve meant? (usage-invalid)\n      See axle --help.\n',
      );
      expect(await folder.json('aprove', 'last')).toMatchObject({
        code: 2,
        value: { error: { code: 'usage-invalid', remedy: 'See axle --help.' } },
      });
      expect((await folder.axle()).code).toBe(2);
    },
  );

  test('with --help explains itself and ends with 0', { timeout: 60_000 }, async () => {
    const folder = new Folder('');
    const general = await folder.axle('--help');
    expect(general.code).toBe(0);
    for (const command of commands) expect(general.stdout).toContain(`  ${command.name} `);
    const approve = await folder.axle('approve', '-h');
    expect(approve.code).toBe(0);
    expect(approve.stdout).toContain('Usage: axle approve RUN[/CALL] [OPTIONS]');
    expect(approve.stdout).toContain('Examples:');
    expect(await folder.json('version')).toMatchObject({
      code: 0,
      value: { axle: expect.stringMatching(/^\d+\.\d+\.\d+$/u) as unknown },
    });
  });
});

test('the examples of every command are command lines that are understood', () => {
  for (const command of commands) {
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) {
      const [axle, ...words] = [...example.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/gu)].map(
        (match) => match[1] ?? match[2] ?? match[3] ?? '',
      );
      expect(axle).toBe('axle');
      expect(parseCommand(words, commands)?.command).toBe(command);
    }
  }
});

describe('a configuration', () => {
  test.each([
    ['that is missing', '', '', 'There is no axle.config.ts'],
    ['that throws', 'axle.config.ts', `throw new Error('no key');`, 'no key'],
    ['that exports nothing', 'axle.config.mjs', 'export const config = {};', 'does not export a configuration'],
    [
      'with syntax that Node cannot leave out',
      'axle.config.ts',
      'enum A { b }\nexport default { a: A.b };',
      'cannot be loaded',
    ],
    ['with an unknown field', 'axle.config.js', 'export default { tols: [] };', 'no field tols'],
    [
      'with a tool that is declared wrongly',
      'axle.config.ts',
      `import { tool } from '../../src/axle.ts';\nexport default { tools: [tool({ name: 'x' })] };`,
      'contract-invalid',
    ],
  ])('%s ends with 3 and says why', { timeout: 60_000 }, async (_, name, text, reason) => {
    const folder = new Folder(name, text);
    const ended = await folder.axle('run', 'clerk', '--input', 'x');
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(reason);
  });

  test.each([
    ['is not written right', 'const one = ;'],
    ['throws', `throw new Error('no key');`],
    [
      'declares a tool wrongly',
      `import { tool } from '../../src/axle.ts';\nexport const mail = tool({ name: 'x' } as never);`,
    ],
  ])('that imports a module which %s names the module and the line', { timeout: 60_000 }, async (_, text) => {
    const folder = new Folder('axle.config.ts', `import './mail.ts';\nexport default {};`);
    folder.write('mail.ts', text);
    const ended = await folder.axle('runs');
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(`(${join(folder.path, 'mail.ts')}:${text.split('\n').length})`);
  });

  test('that a package reads as CommonJS is told how to become a module', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    folder.write('package.json', '{ "type": "commonjs" }');
    const ended = await folder.axle('run', 'clerk', '--input', 'x');
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('npm pkg set type=module');
    folder.write('package.json', '{ "type": "module" }');
    expect((await folder.axle('run', 'clerk', '--input', 'x')).code).toBe(4);
  });

  test('is not needed to read and to answer where the store is named', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    await folder.axle('run', 'clerk', '--input', 'x');
    folder.write('axle.config.ts', `throw new Error('broken');`);
    expect((await folder.axle('runs')).code).toBe(3);
    expect((await folder.axle('runs', '--store', 'axle.db')).stdout).toContain('waiting');
    expect((await folder.axle('show', 'last', '--store', 'axle.db')).code).toBe(0);
    expect((await folder.axle('approve', 'last', '--store', 'axle.db')).code).toBe(0);
  });

  test('is found by --config, with the store that it names', { timeout: 60_000 }, async () => {
    const folder = new Folder(
      'other.config.ts',
      `import { worldConfig } from '../../test/cli/world-config.ts';\nexport default { ...worldConfig, store: 'other.db' };`,
    );
    expect((await folder.axle('run', 'rebel', '--input', 'x', '--config', 'other.config.ts')).code).toBe(6);
    expect((await folder.axle('runs', '--store', 'other.db')).stdout).toContain('rebel');
  });
});

describe('a store that cannot be used', () => {
  test.each([
    ['in a folder that is missing', 'no/a.db', 'does not exist', 'Make the folder first'],
    ['that is a folder', 'bin', 'is a folder, and a store is a file', 'bin/axle.db'],
  ])('%s ends with 3 and says what to do', { timeout: 60_000 }, async (_, path, reason, remedy) => {
    const folder = new Folder();
    const ended = await folder.axle('run', 'clerk', '--input', 'x', '--store', path);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(reason);
    expect(ended.stderr).toContain(remedy);
  });

  // In /sys not even root makes files.
  test.skipIf(!existsSync('/sys/kernel'))(
    'where this user may make no files ends with 3 and names the fault of the system',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      const { code, value } = await folder.json('run', 'clerk', '--input', 'x', '--store', '/sys/a.db');
      expect(code).toBe(3);
      expect(value).toMatchObject({
        error: { code: 'store-unusable', message: expect.stringMatching(/EACCES|EPERM|EROFS/u) as unknown },
      });
    },
  );
});

describe('what is named on a command line and does not exist', () => {
  test('ends with 2 for an agent, a tool or a run, and 3 for a store', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    expect(await folder.json('runs')).toMatchObject({ code: 3, value: { error: { code: 'store-invalid' } } });
    expect(await folder.json('run', 'clark', '--input', 'x')).toMatchObject({
      code: 2,
      value: { error: { code: 'agent-unknown' } },
    });
    expect(await folder.json('call', 'get_wether')).toMatchObject({
      code: 2,
      value: { error: { code: 'tool-unknown' } },
    });
    expect(await folder.json('show', 'run_nothing')).toMatchObject({
      code: 2,
      value: { error: { code: 'run-unknown' } },
    });
    expect(await folder.json('show', 'last')).toMatchObject({ code: 2, value: { error: { code: 'run-unknown' } } });
  });

  test('a run may be named by the beginning of its id, unless several begin so', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    const first = (await folder.axle('run', 'clerk', '--input', 'x', '--detach')).stdout.trim();
    await folder.axle('run', 'rebel', '--input', 'x');
    await folder.axle('run', 'rebel', '--input', 'y');
    expect((await folder.axle('show', first.slice(0, 20))).stdout).toContain(first);
    expect((await folder.axle('show', first.slice(4, 20))).stdout).toContain(first);
    expect(await folder.json('show', 'run_')).toMatchObject({ code: 2, value: { error: { code: 'usage-invalid' } } });
    expect(await folder.json('approve', `${first}/7.0`)).toMatchObject({
      code: 1,
      value: { error: { code: 'decision-invalid' } },
    });
  });
});
