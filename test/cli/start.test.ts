/** What a command line costs before its command begins. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Prints the address of every module that its process loads. */
const tellsModules = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) { console.error(url); return next(url, context); } });
`)}`;

test('a command loads nothing that only other commands need (T1)', () => {
  const { status, stderr } = spawnSync(
    join(root, 'node_modules/.bin/node'),
    ['--import', tellsModules, '--conditions=axle-source', join(root, 'src/cli/main.ts'), 'version'],
    { encoding: 'utf8' },
  );
  expect(status).toBe(0);
  expect(stderr).toContain('/src/cli/commands/doctor.ts');
  const heavy =
    /\/node_modules\/|\/src\/(?:ai-sdk|dispatch|facade|http-client|mcp|openapi|policy|sandbox)\/|\/(?:create-axle|lint-tools|load-run|sqlite-store)\.ts$/;
  expect(stderr.split('\n').filter((url) => heavy.test(url))).toEqual([]);
});

test('compiled code is kept in the folder of the person, and a folder that cannot be one changes nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'axle-caches-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const version = (caches: string): string => {
    const { status, stdout, stderr } = spawnSync(
      join(root, 'node_modules/.bin/node'),
      ['--conditions=axle-source', join(root, 'src/cli/main.ts'), 'version'],
      { encoding: 'utf8', env: { PATH: process.env['PATH'], XDG_CACHE_HOME: caches } },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };
  const first = version(folder);
  expect(readdirSync(join(folder, 'axle/compiled'), { recursive: true }).length).toBeGreaterThan(10);
  expect(version(folder)).toBe(first);
  writeFileSync(join(folder, 'file'), '');
  expect(version(join(folder, 'file'))).toBe(first);
});
