import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSources, readText, root } from './imports.ts';

describe('the ban that keeps the core away from the outside', () => {
  /** Lints one planted file under the repository's own rules and returns the names of the rules that it breaks. */
  function rulesBroken(path: string, text: string): readonly string[] {
    const folder = mkdtempSync(join(tmpdir(), 'axle-lint-'));
    try {
      // The bans need no types, and reading them would double the time.
      writeFileSync(
        join(folder, '.oxlintrc.json'),
        readText('.oxlintrc.json').replace('"typeAware": true', '"typeAware": false'),
      );
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
      const words = ['--format', 'unix', 'src'];
      const linter = spawnSync(join(root, 'node_modules/.bin/oxlint'), words, { cwd: folder, encoding: 'utf8' });
      return [...linter.stdout.matchAll(/\[Error\/[\w-]+\(([\w-]+)\)\]/g)].map((match) => match[1] ?? '');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test.each([
    ['the wall clock', 'export const a = Date.now();', 'no-restricted-globals'],
    ['a new date', 'export const a = new Date();', 'no-restricted-globals'],
    ['a monotonic clock', 'export const a = performance.now();', 'no-restricted-globals'],
    ['a timer', 'setTimeout(() => undefined, 1);', 'no-restricted-globals'],
    ['a timer of Node', `import 'node:timers/promises';`, 'no-restricted-imports'],
    ['a time limit', 'export const a = AbortSignal.timeout(1);', 'no-restricted-properties'],
    ['randomness', 'export const a = Math.random();', 'no-restricted-properties'],
    ['random ids', 'export const a = crypto.randomUUID();', 'no-restricted-globals'],
    ['hashes other than those of src/util/hash.ts', `import 'node:crypto';`, 'no-restricted-imports'],
    ['the network', `export const a = fetch('http://127.0.0.1');`, 'no-restricted-globals'],
    ['a server', `import 'node:http';`, 'no-restricted-imports'],
    ['files', `import 'node:fs/promises';`, 'no-restricted-imports'],
    ['processes', `import 'node:child_process';`, 'no-restricted-imports'],
    ['its own process', `export const a = process.env['A'];`, 'no-restricted-globals'],
    ['whatever is global', 'export const a = globalThis;', 'no-restricted-globals'],
  ])('%s', (_, text, rule) => {
    expect(rulesBroken('src/run/planted.ts', text)).toContain(rule);
  });

  test('the places where the real ones live are free of it', () => {
    expect(rulesBroken('src/util/system-clock.ts', 'export const now = (): number => Date.now();\n')).toEqual([]);
    expect(
      rulesBroken('src/journal/sqlite/file.ts', `import { open } from 'node:fs';\n\nexport const a = open;\n`),
    ).toEqual([]);
    expect(rulesBroken('src/util/hash.ts', `import { hash } from 'node:crypto';\n\nexport const a = hash;\n`)).toEqual(
      [],
    );
  });
});

test('every exception from a lint rule or a type gives its reason', () => {
  const silent: string[] = [];
  for (const folder of ['src', 'test', 'scripts']) {
    for (const [path, text] of readSources(folder, '.ts')) {
      for (const [index, line] of text.split('\n').entries()) {
        const exception = /\/[/*]\s*(?:oxlint|eslint)-disable(?:-next-line|-line)?\b(.*)/.exec(line);
        if (exception !== null && !/ -- \S/.test(exception[1] ?? '')) {
          silent.push(`${path}:${index + 1}: ${line.trim()}`);
        }
      }
    }
  }
  expect(silent).toEqual([]);
});
