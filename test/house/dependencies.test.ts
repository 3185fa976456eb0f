import { expect, test } from 'vitest';
import { readSources, readText } from './imports.ts';
import { codeWords } from './markdown.ts';

type Manifest = Record<string, Readonly<Record<string, string>> | undefined>;

const manifests = ['package.json', 'debugger/package.json'].map((path) => JSON.parse(readText(path)) as Manifest);
const dependencies = manifests.flatMap((manifest) =>
  ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).map(([name, version]) => ({ kind, name, version })),
  ),
);

test('every dependency has a page in docs/decisions', () => {
  const explained = new Set([...readSources('docs/decisions', '.md').values()].flatMap(codeWords));
  // The types of a package are explained with the package.
  const silent = dependencies.filter(({ name }) => !explained.has(name) && !explained.has(name.replace('@types/', '')));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('every dependency that is installed has an exact version', () => {
  const loose = dependencies.filter(
    ({ kind, version }) => kind !== 'peerDependencies' && !/^\d+\.\d+\.\d+$/.test(version),
  );
  expect(loose).toEqual([]);
});
