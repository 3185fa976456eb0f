import { describe, expect, test } from 'vitest';
import { exponent } from '../../bench/bars.ts';
import { FigureMaker, medianOf, type Rounds } from '../../bench/figures.ts';
import { quieterOf } from '../../bench/take-sample.ts';
import { busyUsOf } from '../../bench/processor-time.ts';

/** Rounds in which Axle and the floor took these times while others took so much of a processor. */
function roundsOf(
  ...rounds: readonly { readonly axle: number; readonly floor: number; readonly foreign?: number | null }[]
): Rounds {
  return rounds.map(
    ({ axle, floor, foreign = 0 }) =>
      new Map([
        ['axle', [{ foreignCores: foreign, values: { us: axle } }]],
        ['floor', [{ foreignCores: 0, values: { us: floor } }]],
      ]),
  );
}
const axle = { id: 'axle', value: 'us' };
const floor = { id: 'floor', value: 'us' };
const bar = { sign: '<=', limit: 3 } as const;

describe('a figure', () => {
  test('is a ratio within each round, and then the median over rounds', () => {
    const make = new FigureMaker(
      roundsOf({ axle: 20, floor: 10 }, { axle: 300, floor: 100 }, { axle: 40, floor: 10 }),
      { neededRounds: 3 },
    );
    expect(make.ratio({ name: 'ratio', unit: 'x', bar }, axle, floor)).toEqual({
      name: 'ratio',
      value: 3,
      unit: 'x',
      bar: '<= 3',
      ok: true,
      low: 2,
      high: 4,
    });
  });

  test('that misses its bar is not ok', () => {
    const make = new FigureMaker(roundsOf({ axle: 31, floor: 10 }), { neededRounds: 1 });
    expect(make.ratio({ name: 'ratio', unit: 'x', bar }, axle, floor)).toMatchObject({ value: 3.1, ok: false });
  });

  test('leaves noisy rounds out, and is not judged when too few are left', () => {
    const rounds = roundsOf({ axle: 20, floor: 10 }, { axle: 90, floor: 10, foreign: 0.36 });
    expect(
      new FigureMaker(rounds, { neededRounds: 1 }).ratio({ name: 'ratio', unit: 'x', bar }, axle, floor),
    ).toMatchObject({ value: 2, ok: true });
    const judged = new FigureMaker(rounds, { neededRounds: 2 }).ratio({ name: 'ratio', unit: 'x', bar }, axle, floor);
    expect(judged).toMatchObject({ value: 2, ok: null });
    expect(judged.reason).toContain('1 of 2 rounds were quiet');
  });

  test('of a machine that does not say what others take is not judged', () => {
    const make = new FigureMaker(roundsOf({ axle: 20, floor: 10, foreign: null }), { neededRounds: 1 });
    expect(make.value({ name: 'time', unit: 'us', bar }, axle)).toMatchObject({ value: 20, ok: null });
  });

  test('that counts is judged in any noise', () => {
    const make = new FigureMaker(roundsOf({ axle: 2, floor: 1, foreign: 2 }), {
      neededRounds: 1,
      whyNotSized: 'small',
    });
    expect(make.value({ name: 'count', unit: 'syncs', bar, kind: 'counted' }, axle)).toMatchObject({
      value: 2,
      ok: true,
    });
    expect(make.value({ name: 'size', unit: 'bytes', bar, kind: 'sized' }, axle)).toMatchObject({
      value: 2,
      ok: null,
      reason: 'not judged: small',
    });
  });

  test('that nobody measured says so', () => {
    const make = new FigureMaker(roundsOf({ axle: 2, floor: 1 }), { neededRounds: 1 });
    expect(make.value({ name: 'peer', unit: 'us', bar }, { id: 'peer', value: 'us' })).toEqual({
      name: 'peer',
      value: null,
      unit: 'us',
      bar: '<= 3',
      ok: null,
      reason: 'not judged: it was not measured',
    });
  });
});

test('the median of an even number is the mean of the two in the middle', () => {
  expect([medianOf([]), medianOf([4]), medianOf([1, 2, 4, 8])]).toEqual([null, 4, 3]);
});

test('the exponent is 1 for a constant cost a turn and 2 for one that grows with the turns', () => {
  expect(exponent(500, 2_000)([100, 100])).toBeCloseTo(1);
  expect(exponent(500, 2_000)([100, 400])).toBeCloseTo(2);
});

test('waiting for a disk is not counted as a busy processor', () => {
  expect(busyUsOf('cpu  100 0 50 9000 777 1 2 3 0 0\ncpu0 1 1 1 1 1 1 1 1\n')).toBe(1_560_000);
  expect(busyUsOf('something else')).toBeUndefined();
});

test('of a sample taken again, the quieter one of each measurement is kept', () => {
  const measured = (us: number, foreignCores: number) => ({ values: { us }, foreignCores });
  expect(quieterOf([measured(1, 0.9), measured(2, 0.1)], [measured(3, 0.2), measured(4, 0.8)])).toEqual([
    measured(3, 0.2),
    measured(2, 0.1),
  ]);
});
