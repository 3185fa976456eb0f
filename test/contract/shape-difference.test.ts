import { describe, expect, it } from 'vitest';
import { shapeDifference } from '../../src/contract/shape-difference.ts';

const none = { missing: [], unexpected: [], changed: [] };

describe('the difference in form between a value and a schema (T18)', () => {
  it.each([
    ['a value that fits', { type: 'object', properties: { a: { type: 'integer' } } }, { a: 1 }, none],
    [
      'a key that is missing and one that is new',
      { type: 'object', properties: { a: {} }, required: ['a'] },
      { b: 1 },
      { ...none, missing: ['/a'], unexpected: ['/b'] },
    ],
    [
      'a kind that has changed, deep inside of lists',
      { type: 'array', items: { type: 'object', properties: { id: { type: ['integer', 'null'] } } } },
      [{ id: 1 }, { id: '2' }, { id: '3' }],
      { ...none, changed: [{ path: '/*/id', declared: 'null or integer', came: 'string' }] },
    ],
    [
      'what stands behind a reference',
      { $defs: { p: { type: 'object', required: ['x'] } }, type: 'object', properties: { p: { $ref: '#/$defs/p' } } },
      { p: {} },
      { ...none, missing: ['/p/x'] },
    ],
    [
      'a map, whose keys are not declared one by one',
      { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
      { any: 1 },
      none,
    ],
    ['the whole', { type: 'string' }, 5, { ...none, changed: [{ path: '', declared: 'string', came: 'integer' }] }],
    ['a whole number where any number fits', { type: 'number' }, 5, none],
  ] as const)('%s', (_, schema, value, difference) => {
    expect(shapeDifference(schema, value)).toEqual(difference);
  });

  it('names at most twenty of a sort', () => {
    const value = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, index]));
    expect(shapeDifference({ type: 'object', properties: {} }, value).unexpected).toHaveLength(20);
  });
});
