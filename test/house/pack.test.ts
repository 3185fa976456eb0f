import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readText, root } from './imports.ts';

/** The package as a stranger gets it: packed, and installed in an empty folder far from the repository. */
describe('the packed package, installed in an empty folder', () => {
  const manifest = JSON.parse(readText('package.json')) as { exports: Record<string, unknown> };
  const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');
  let work = '';
  let user = '';

  /** Runs a command and returns what it printed; throws with all it said when it fails. */
  function run(cwd: string, command: string, ...words: readonly string[]): string {
    const result = spawnSync(command, words, { cwd, encoding: 'utf8', timeout: 100_000 });
    if (result.status === 0) return result.stdout;
    throw new Error(`${command} ${words.join(' ')} ended with ${result.status}\n${result.stdout}\n${result.stderr}`);
  }

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), 'axle-pack-'));
    const staged = join(work, 'staged');
    user = join(work, 'user');
    mkdirSync(staged);
    mkdirSync(user);
    for (const file of ['package.json', 'README.md', 'LICENSE', 'NOTICE']) {
      copyFileSync(join(root, file), join(staged, file));
    }
    // Built apart from dist/, which another command may be using.
    run(root, join(root, 'node_modules/.bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', join(staged, 'dist'));
    run(staged, 'npm', 'pack', '--ignore-scripts', '--pack-destination', work);
    const tarball = readdirSync(work).find((name) => name.endsWith('.tgz')) ?? '';
    writeFileSync(join(user, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
    run(user, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', join(work, tarball));
  }, 240_000);

  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test('holds the build, the licence, the notice and the README, and nothing else', () => {
    const installed = readdirSync(join(user, 'node_modules/axle')).sort();
    expect(installed).toEqual(['LICENSE', 'NOTICE', 'README.md', 'dist', 'package.json']);
  });

  test.each(entries)('imports at the entry "%s"', (entry) => {
    const name = `axle${entry.slice(1)}`;
    const program = `import * as all from '${name}'; console.log(Object.keys(all).length);`;
    const printed = run(user, process.execPath, '--input-type=module', '--eval', program);
    expect(Number(printed)).toBeGreaterThan(0);
  });

  test('brings types that need nothing a user does not have', () => {
    const lines = entries.map((entry, index) => `export * as entry${index} from 'axle${entry.slice(1)}';`);
    writeFileSync(join(user, 'all.ts'), `${lines.join('\n')}\n`);
    const settings = {
      compilerOptions: {
        module: 'nodenext',
        target: 'es2024',
        lib: ['es2024', 'esnext.disposable'],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
      },
      files: ['all.ts'],
    };
    writeFileSync(join(user, 'tsconfig.json'), JSON.stringify(settings));
    expect(run(user, join(root, 'node_modules/.bin/tsc'), '-p', 'tsconfig.json')).toBe('');
  });

  test('has a command that explains itself', () => {
    expect(run(user, join(user, 'node_modules/.bin/axle'), '--help')).toContain('axle');
  });

  test('makes a project that depends on the tarball that it was installed from', () => {
    run(user, join(user, 'node_modules/.bin/axle'), 'init', '../made');
    const made = JSON.parse(readFileSync(join(work, 'made/package.json'), 'utf8')) as {
      dependencies: { axle: string };
    };
    expect(made.dependencies.axle).toMatch(/^file:\.\.\/axle-[\d.]+\.tgz$/);
  });

  test.each([
    ['yaml', 'yaml@2', `path: 'api.yaml'`],
    ['@scalar/openapi-upgrader', '@scalar/openapi-upgrader@0.4', `document: { openapi: '3.0.3', paths: {} }`],
  ])('names the line that installs %s when a document needs it', (_, line, source) => {
    writeFileSync(join(user, 'api.yaml'), 'openapi: 3.1.0\npaths: {}\n');
    const program = `
      import { openApiTools } from 'axle/openapi';
      const api = openApiTools({ name: 'api', server: 'https://api.example.com', ${source} });
      await api.connect().catch((error) => console.log(error.code, error.remedy));
    `;
    const printed = run(user, process.execPath, '--input-type=module', '--eval', program);
    expect(printed.trim()).toBe(`peer-missing npm install ${line}`);
  });

  test('names the line that installs what the HTTP API needs, and serves nothing before', () => {
    const program = `
      import { createAxle } from 'axle';
      import { createServer } from 'axle/http';
      const axle = await createAxle({ store: ':memory:' });
      const server = createServer({ axle });
      const { code, remedy } = await (await server.fetch(new Request('http://localhost/healthz'))).json();
      console.log(code, remedy);
      await server.listen({ port: 0 }).catch((error) => console.log(error.code, error.remedy));
    `;
    const printed = run(user, process.execPath, '--input-type=module', '--eval', program);
    const line = 'peer-missing npm install hono@4 @hono/node-server@2';
    expect(printed.trim().split('\n')).toEqual([line, line]);
  });

  test('runs no install script and brings nothing that has one', () => {
    const lock = JSON.parse(readFileSync(join(user, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const names = Object.keys(lock.packages);
    expect(names).toContain('node_modules/axle');
    expect(names.filter((name) => lock.packages[name]?.hasInstallScript === true)).toEqual([]);
  });
});
