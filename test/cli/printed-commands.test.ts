import { delimiter } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandText, programText } from '../../src/cli/command-text.ts';
import { Folder } from './command.ts';

describe('a printed command', () => {
  test.each([
    ['an installed package through npx', { npm_command: 'exec', npm_lifecycle_event: 'npx' }, 'npx axle'],
    ['a script of a package', { npm_command: 'run-script', npm_lifecycle_event: 'start' }, 'npx axle'],
    ['the script of this repository', { npm_command: 'run-script', npm_lifecycle_event: 'axle' }, 'npm run -s axle --'],
    ['a program on the search path', { PATH: ['/bin', '/p/node_modules/.bin'].join(delimiter) }, 'axle'],
    ['a program that is named by its path', { PATH: '/bin' }, 'node_modules/.bin/axle'],
  ])('of %s begins as it was called', (_, environment, expected) => {
    expect(programText({ script: '/p/node_modules/.bin/axle', environment, folder: '/p' })).toBe(expected);
  });

  test('of the source file names it', () => {
    expect(programText({ script: '/a b/src/cli/main.ts', environment: {}, folder: '/a b' })).toBe(
      'node src/cli/main.ts',
    );
    expect(programText({ script: '/a b/main.ts', environment: {}, folder: '/c' })).toBe("node '/a b/main.ts'");
  });

  test('names store and configuration as they were given, quoted for a shell', () => {
    const command = commandText('npx axle', { storePath: "it's.db", configPath: 'other.config.ts' });
    expect(command('approve', 'run_1/2.0')).toBe(
      "npx axle approve run_1/2.0 --store 'it'\\''s.db' --config other.config.ts",
    );
  });

  test(
    'answers, resumes and shows the run that it was printed for, whatever the store',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder(
        'other.config.ts',
        `import { worldConfig } from '../../test/cli/world-config.ts';\nexport default worldConfig;`,
      );
      const given = ['--config', 'other.config.ts', '--store', 'other.db'];
      const first = await folder.axle('run', 'clerk', '--input', 'x', ...given);
      const approve = printed(first.stderr, 'approve');
      expect(approve).toEqual(expect.arrayContaining(given));
      const approved = await folder.axle(...approve);
      expect(approved.code).toBe(0);
      const resumed = await folder.axle(...printed(approved.stdout, 'resume'));
      expect(resumed).toMatchObject({ code: 0, stdout: 'Refunded.\n' });
    },
  );

  test('settles a doubt in each of its ways', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    const first = await folder.axle('run', 'sender', '--input', 'x');
    for (const way of ['--happened', '--not-happened --then retry', '--not-happened --then fail']) {
      expect(first.stderr).toMatch(new RegExp(`axle resolve run_\\w+/1\\.0 ${way}`, 'u'));
    }
    const resolved = await folder.axle('resolve', 'last', '--happened', '--by', 'ann', '--resume');
    expect(resolved.code).toBe(0);
    expect((await folder.axle('resolve', 'last', '--happened', '--not-happened')).stderr).toContain(
      'exclude each other',
    );
  });
});

/** The words of the first printed command with this name. */
function printed(text: string, name: string): readonly string[] {
  const line = new RegExp(`axle (${name} .*)$`, 'mu').exec(text)?.[1];
  if (line === undefined) throw new Error(`No ${name} is printed in: ${text}`);
  return line.split(' ');
}
