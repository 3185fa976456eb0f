/** Arguments that a server wants in headers: only where the protocol lets it ask. */
import { expect, test } from 'vitest';
import { headerFault } from '../../src/mcp/http/header-parameters.ts';
import type { JsonObject } from '../../src/util/json.ts';

function asking(name: unknown, type = 'string'): JsonObject {
  return { type, 'x-mcp-header': name as string };
}

function object(properties: JsonObject, others: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...others };
}

test('a text, a whole number and a truth value may ask, at any depth of properties', () => {
  const inner = object({ b: asking('B', 'integer'), c: asking('C', 'boolean') });
  expect(headerFault(object({ a: asking('Region'), inner }))).toBeUndefined();
  expect(headerFault(object({ 'x-mcp-header': { type: 'string' } }))).toBeUndefined();
  expect(headerFault(object({}))).toBeUndefined();
});

test.for([
  ['an empty name', object({ a: asking('') })],
  ['a name with a space', object({ a: asking('My Region') })],
  ['a name that is no text', object({ a: asking(7) })],
  ['a name twice, in another case', object({ a: asking('Region'), b: asking('region') })],
  ['a number', object({ a: asking('A', 'number') })],
  ['a list', object({ a: asking('A', 'array') })],
  ['an item of a list', object({ a: { type: 'array', items: asking('A') } })],
  ['one of several alternatives', object({ a: { anyOf: [asking('A')] } })],
  ['a definition', object({}, { $defs: { a: asking('A') } })],
  ['the whole', { ...object({}), 'x-mcp-header': 'A' }],
] as const)('%s may not', ([, schema]) => {
  expect(headerFault(schema)).toBeTypeOf('string');
});
