import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChangeOrder, type Changing } from '../../../src/trace/table/change-order.ts';

/** An item that counts how often anybody looks at it. */
class Looked implements Changing<Looked> {
  static looks = 0;
  older: Looked | undefined;
  newer: Looked | undefined;
  readonly name: number;
  #seq = 0;

  constructor(name: number) {
    this.name = name;
  }

  get changedSeq(): number {
    Looked.looks += 1;
    return this.#seq;
  }

  set changedSeq(seq: number) {
    this.#seq = seq;
  }
}

function itemsOf(count: number): readonly Looked[] {
  return Array.from({ length: count }, (_, name) => new Looked(name));
}

test('who asks for three changes of ten thousand things looks at four of them', () => {
  const order = new ChangeOrder<Looked>();
  const items = itemsOf(10_000);
  for (const item of items) order.touch(item, item.name + 1);
  for (const name of [17, 9_999, 17, 4_000]) {
    const item = items[name];
    if (item !== undefined) order.touch(item, 20_000);
  }
  Looked.looks = 0;
  expect([...order.since(10_000)].map(({ name }) => name).toSorted((left, right) => left - right)).toEqual([
    17, 4_000, 9_999,
  ]);
  expect(Looked.looks).toBe(4);
  expect([...order.since(20_000)]).toEqual([]);
});

test('whatever changes in whatever order, each item stands there once, with its last change', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 9 })), fc.nat({ max: 40 }), (touched, since) => {
      const order = new ChangeOrder<Looked>();
      const items = itemsOf(10);
      const last = new Map<number, number>();
      touched.forEach((name, seq) => {
        const item = items[name];
        if (item !== undefined) order.touch(item, seq + 1);
        last.set(name, seq + 1);
      });
      const expected = [...last].filter(([, seq]) => seq > since).toSorted(([, left], [, right]) => right - left);
      expect([...order.since(since)].map(({ name, changedSeq }) => [name, changedSeq])).toEqual(expected);
    }),
  );
});
