/**
 * What a round takes: for each case, samples of those who are compared, next to each other in time.
 *
 * R1 Who comes first rotates from round to round, so that a machine that gets slower or faster favours nobody.
 * R2 Ratios are taken within a round, never between rounds.
 */
import type { Load, SampleSpec, Subject, TurnsSpec } from './sample-spec.ts';

export const cases = ['turns', 'runs', 'disk', 'resume', 'suspended'] as const;
export type CaseName = (typeof cases)[number];

export function isCaseName(name: string): name is CaseName {
  return cases.some((known) => known === name);
}

/** A sample to take. Its id names it in all rounds. */
export interface Planned {
  readonly id: string;
  readonly place: 'tmpfs' | 'disk';
  readonly spec: WithoutFolder<SampleSpec>;
}

type WithoutFolder<T> = T extends unknown ? Omit<T, 'folder'> : never;

/** The sizes of everything. */
export interface Sizes {
  readonly lengths: readonly number[];
  readonly atOnce: readonly number[];
  readonly turnsAtOnce: number;
  readonly longTurns: number;
  readonly resumedTurns: number;
  readonly suspended: readonly number[];
  readonly leastMs: number;
  readonly warmUpMs: number;
  readonly settleMs: number;
  readonly probeSyncs: number;
}

export const fullSizes: Sizes = {
  lengths: [10, 50, 200, 500, 2_000],
  atOnce: [1, 16, 256],
  turnsAtOnce: 50,
  longTurns: 500,
  resumedTurns: 1_000,
  suspended: [1_000, 100_000],
  leastMs: 800,
  warmUpMs: 2_000,
  settleMs: 800,
  probeSyncs: 500,
};

export const quickSizes: Sizes = {
  lengths: [10, 40],
  atOnce: [1, 16],
  turnsAtOnce: 10,
  longTurns: 40,
  resumedTurns: 100,
  suspended: [200],
  leastMs: 1,
  warmUpMs: 1,
  settleMs: 1,
  probeSyncs: 20,
};

/** The samples of one round, groups in order, each rotated by the round's number. */
export function planRound(
  round: number,
  about: { readonly sizes: Sizes; readonly only: readonly CaseName[] },
): readonly Planned[] {
  const { sizes, only } = about;
  const wanted = (name: CaseName): boolean => only.length === 0 || only.includes(name);
  const groups: readonly (readonly Planned[])[] = [
    ...(wanted('turns') ? [turnsOf(sizes)] : []),
    ...(wanted('runs') ? [atOnceOf(sizes, 'tmpfs'), atOnceOf(sizes, 'disk')] : []),
    ...(wanted('disk') ? [diskOf(sizes)] : []),
    ...(wanted('resume')
      ? [[{ id: 'resume', place: 'disk', spec: { kind: 'resume', turns: sizes.resumedTurns } } as const]]
      : []),
    // Memory does not depend on the minute: once is enough.
    ...(wanted('suspended') && round === 0 ? [suspendedOf(sizes)] : []),
  ];
  const probe: Planned = { id: 'probe', place: 'disk', spec: { kind: 'probe', syncs: sizes.probeSyncs } };
  return [
    probe,
    ...groups.flatMap((group) => [...group.slice(round % group.length), ...group.slice(0, round % group.length)]),
  ];
}

function turnsOf(sizes: Sizes): readonly Planned[] {
  const loads = sizes.lengths.map((turns) => ({ turns, runs: 1 }));
  return (['floor', 'axle', 'ai-sdk'] as const).map((subject) => ({
    id: `turns/${subject}`,
    place: 'tmpfs',
    spec: turnsSpec(sizes, subject, { loads }),
  }));
}

function atOnceOf(sizes: Sizes, place: 'tmpfs' | 'disk'): readonly Planned[] {
  const loads = sizes.atOnce.map((runs) => ({ turns: sizes.turnsAtOnce, runs }));
  return (['floor', 'axle'] as const).map((subject) => ({
    id: `runs-${place}/${subject}`,
    place,
    spec: turnsSpec(sizes, subject, { loads }),
  }));
}

function diskOf(sizes: Sizes): readonly Planned[] {
  const loads = [{ turns: sizes.longTurns, runs: 1 }];
  return [
    { id: 'disk/floor', place: 'disk', spec: turnsSpec(sizes, 'floor', { loads }) },
    { id: 'disk/axle', place: 'disk', spec: turnsSpec(sizes, 'axle', { loads }) },
    { id: 'disk/axle-strict', place: 'disk', spec: turnsSpec(sizes, 'axle', { loads, durability: 'strict' }) },
    { id: 'disk/axle-write', place: 'disk', spec: turnsSpec(sizes, 'axle', { loads, effect: 'write' }) },
    { id: 'disk/lang-graph', place: 'disk', spec: turnsSpec(sizes, 'lang-graph', { loads, settleMs: 0 }) },
  ];
}

function suspendedOf(sizes: Sizes): readonly Planned[] {
  return sizes.suspended.map((runs) => ({
    id: `suspended-${runs}`,
    place: 'tmpfs',
    spec: { kind: 'suspended', runs },
  }));
}

function turnsSpec(
  sizes: Sizes,
  subject: Subject,
  what: { readonly loads: readonly Load[] } & Partial<Pick<TurnsSpec, 'effect' | 'durability' | 'settleMs'>>,
): WithoutFolder<TurnsSpec> {
  const { leastMs, warmUpMs, settleMs } = sizes;
  return { kind: 'turns', subject, effect: 'read', durability: 'effects', leastMs, warmUpMs, settleMs, ...what };
}

/** True for a sample that needs the peers to be installed. */
export function needsPeers({ spec }: Planned): boolean {
  return spec.kind === 'turns' && (spec.subject === 'ai-sdk' || spec.subject === 'lang-graph');
}
