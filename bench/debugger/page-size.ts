/** How much is sent before the first screen can be drawn. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { atMost, type Figure } from './figure.ts';

export function sizeFigures(page: string): Promise<readonly Figure[]> {
  const index = readFileSync(join(page, 'index.html'), 'utf8');
  const named = [...index.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? '');
  // What a module imports statically is loaded with it.
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    const text = readFileSync(join(page, path), 'utf8');
    for (const match of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) load(`/assets/${match[1] ?? ''}`);
  };
  for (const path of named) load(path);
  const scripts = readdirSync(join(page, 'assets')).filter((name) => name.endsWith('.js'));
  return Promise.resolve([
    atMost('initial JavaScript, gzip', sizeOf(page, [...loaded]), { bar: 200, unit: 'KB' }),
    atMost(
      'all JavaScript, gzip',
      sizeOf(
        page,
        scripts.map((name) => `/assets/${name}`),
      ),
      { bar: 650, unit: 'KB' },
    ),
  ]);
}

function sizeOf(page: string, paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + gzipSync(readFileSync(join(page, path))).length, 0) / 1_000;
}
