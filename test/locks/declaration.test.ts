/** What a contract may say of its locks, and what they are called for a call. */
import { describe, expect, it } from 'vitest';
import { tool } from '../../src/axle.ts';
import { locksOf } from '../../src/contract/lock-names.ts';

const orders = {
  type: 'object',
  properties: { orderId: { type: 'integer' }, note: { type: 'string' }, to: { type: 'object' } },
  required: ['orderId', 'to'],
};

function declare(locks: unknown, more: Partial<Parameters<typeof tool>[0]> = {}) {
  const declaration: object = {
    name: 'ship',
    description: 'Ships an order.',
    input: orders,
    execute: () => 1,
    ...more,
  };
  return tool(Object.assign(declaration, { locks }) as Parameters<typeof tool>[0]);
}

function namesOf(locks: unknown, input: object): readonly string[] {
  const named = locksOf(declare(locks).terms.locks ?? [], { ...input });
  if (named.kind === 'unnamed') throw new Error(named.problem);
  return named.locks.map(({ name, mode }) => `${name} ${mode}`);
}

describe('the locks of a contract (S8)', () => {
  it('are named after arguments, and taken in the order of their names', () => {
    const locks = ['warehouse', 'order:{orderId}', { name: 'city:{/to/city}', mode: 'shared' }];
    expect(namesOf(locks, { orderId: 7, to: { city: 'Oslo' } })).toEqual([
      'city:Oslo shared',
      'order:7 exclusive',
      'warehouse exclusive',
    ]);
  });

  it('are one when two of them have one name, and the stricter one', () => {
    expect(namesOf([{ name: 'order:{orderId}', mode: 'shared' }, 'order:7'], { orderId: 7, to: {} })).toEqual([
      'order:7 exclusive',
    ]);
  });

  it('have no name where an argument is nothing to make one from', () => {
    const { locks = [] } = declare(['city:{/to/city}']).terms;
    expect(locksOf(locks, { orderId: 7, to: {} })).toEqual({
      kind: 'unnamed',
      problem: 'the lock city:{/to/city} has no name: /to/city is not there',
    });
    expect(locksOf(locks, { to: { city: ['Oslo'] } })).toMatchObject({ kind: 'unnamed' });
    expect(locksOf(locks, { to: { city: 'o'.repeat(201) } })).toMatchObject({
      problem: 'the lock city:{/to/city} has no name: it has 206 characters, of 200 at most',
    });
  });

  it.each([
    [['order:{note}'], 'locks must be made from required arguments, and note of order:{note} is none'],
    [['order:{id}'], 'locks must be made from required arguments, and id of order:{id} is none'],
    [['order:{orderId'], 'name must be at most 200 characters with arguments in braces'],
    [[''], 'name must be a text of 1 to 20000 characters'],
    [[{ name: 'a', mode: 'half' }], 'mode must be one of exclusive, shared'],
    [[{ name: 'a', forever: true }], 'there is no field forever'],
    [[{ name: 'a', maxWait: '2h' }], "maxWait must be milliseconds or a text such as '20s'"],
    [
      [{ name: 'a', mode: 'shared', keepInDoubt: true }],
      'keepInDoubt must be left out but for exclusive locks of a write',
    ],
    ['order', 'locks must be a list of at most 8 names or objects'],
    [Array.from({ length: 9 }, (_, place) => `lock-${place}`), 'locks must be a list of at most 8 names or objects'],
  ])('are refused when they are %j', (locks, message) => {
    expect(() => declare(locks)).toThrow(message);
  });

  it('are kept over a doubt only by what can be in doubt', () => {
    expect(() => declare([{ name: 'a', keepInDoubt: true }], { effect: 'idempotent' })).toThrow(
      'nothing else is ever in doubt',
    );
  });

  it('are those of its undo too, which is handed the same arguments in another place', () => {
    const { undo } = declare(['order:{orderId}', 'city:{/to/city}'], { undo: () => {} });
    expect(undo?.terms.locks?.map(({ name }) => name)).toEqual(['order:{/input/orderId}', 'city:{/input/to/city}']);
  });
});
