import { expect, test } from 'vitest';
import { readSources } from './imports.ts';
import { tenuredFunctions } from './tenured.ts';

/** Where the code of a turn is. */
const folders = [
  'ai-sdk',
  'brain',
  'call',
  'contract',
  'dispatch',
  'execute',
  'facade',
  'journal',
  'live',
  'policy',
  'run',
  'util',
];

test.each(folders)('no function in src/%s outlives what made it', (folder) => {
  const sources = readSources(`src/${folder}`, '.ts');
  expect(sources.size).toBeGreaterThan(0);
  expect(tenuredFunctions(sources)).toEqual([]);
});

test('a function that is tenured is found, and one that is not is none', () => {
  const text = [
    'this.#wake = () => done();',
    'made.later ??= function () {};',
    'const made = { get later() { return 1; }, at: () => 2, method() {} };',
    'class Made { #wake = () => {}; get later() { return 1; } }',
    'const wake = () => {}; this.#wake = wake;',
  ].join('\n');
  expect(tenuredFunctions(new Map([['a.ts', `class Outer { #wake; make(done, made) { ${text} } }`]]))).toEqual([
    'a.ts:1: a function written into a property',
    'a.ts:2: a function written into a property',
    'a.ts:3: an accessor of an object literal',
  ]);
});
