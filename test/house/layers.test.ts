import { describe, expect, test } from 'vitest';
import { readSources, readText } from './imports.ts';
import { importCycles, layerFaults, parseLayers } from './layers.ts';

const layers = parseLayers(readText('docs/architecture.md'));

describe('the layers', () => {
  const sources = readSources('src', '.ts');

  test('every import of src keeps to the table of layers', () => {
    expect(layers.length).toBeGreaterThan(5);
    expect(sources.size).toBeGreaterThan(5);
    expect(layerFaults(layers, sources)).toEqual([]);
  });

  test('no import cycle exists, types included', () => {
    expect(importCycles(sources)).toEqual([]);
  });
});

describe('the test of the layers itself', () => {
  const planted = (text: string, extra: readonly (readonly [string, string])[] = []): readonly string[] =>
    layerFaults(
      layers,
      new Map([['src/contract/planted.ts', text], ['src/util/clock.ts', ''], ['src/run/driver.ts', ''], ...extra]),
    );

  test('an import from a lower layer is fine', () => {
    expect(planted(`import { a } from '../util/clock.ts';`)).toEqual([]);
  });

  test.each([
    ['a value', `import { a } from '../run/driver.ts';`],
    ['a type', `import type { A } from '../run/driver.ts';`],
    ['an inline type', `type A = import('../run/driver.ts').A;`],
    ['a re-export', `export * from '../run/driver.ts';`],
    ['a dynamic import', `export const a = await import('../run/driver.ts');`],
  ])('an import from a higher layer is reported: %s', (_, text) => {
    expect(planted(text)).toEqual([
      'src/contract/planted.ts: imports ../run/driver.ts, which is above: layer 2 imports 5',
    ]);
  });

  test('an import between siblings is reported', () => {
    const faults = planted('', [
      ['src/trace/a.ts', `import '../brain/b.ts';`],
      ['src/brain/b.ts', ''],
    ]);
    expect(faults).toEqual(['src/trace/a.ts: imports ../brain/b.ts, a sibling in layer 4']);
  });

  test('siblings that have an order import each other in this order only', () => {
    const faults = planted('', [
      ['src/util/a.ts', `import '../error/b.ts';`],
      ['src/error/b.ts', `import '../util/clock.ts';`],
    ]);
    expect(faults).toEqual(['src/error/b.ts: imports ../util/clock.ts, a sibling in layer 0']);
  });

  test('a package that the layer may not use is reported', () => {
    expect(planted(`import { z } from 'zod';`)).toEqual([
      'src/contract/planted.ts: imports zod, a package that layer 2 may not use',
    ]);
  });

  test('a folder outside the table and a file outside src are reported', () => {
    expect(planted('', [['src/helpers/a.ts', '']])).toEqual([
      'src/helpers/a.ts: helpers is in no layer of docs/architecture.md',
    ]);
    expect(planted(`import '../../test/a.ts';`)).toEqual([
      'src/contract/planted.ts: imports ../../test/a.ts, which is no file of src',
    ]);
  });

  test('a cycle through a type is reported', () => {
    const cycle = new Map([
      ['src/a/one.ts', `import type { A } from './two.ts';`],
      ['src/a/two.ts', `import { b } from './three.ts';`],
      ['src/a/three.ts', `export { c } from './two.ts';`],
    ]);
    expect(importCycles(cycle)).toEqual(['src/a/two.ts > src/a/three.ts > src/a/two.ts']);
  });
});
