import { expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../src/contract/tool.ts';

// What is proved here is that it compiles: none of the parameters below has a type of its own.
test('the functions of a declaration have the types of its schemas: undo with terms, cache key and arguments of a stand-in', () => {
  const schemas = { input: z.object({ city: z.string() }), output: z.object({ booking: z.string() }) };
  const execute = (): { booking: string } => ({ booking: 'B-1' });
  const released: string[] = [];
  const book = tool({
    ...schemas,
    name: 'book',
    description: 'Books.',
    execute,
    undo: { effect: 'idempotent', execute: (input, output) => released.push(input.city, output.booking) },
  });
  const find = tool({
    ...schemas,
    name: 'find',
    description: 'Finds.',
    effect: 'read',
    execute,
    cache: { ttl: '1m', key: (input) => input.city.toLowerCase() },
    fallback: [{ tool: 'map', input: (input) => ({ place: input.city }) }],
  });

  expect(book.undo?.effect).toBe('idempotent');
  expect(find.fallback).toMatchObject([{ tool: 'map' }]);
});
