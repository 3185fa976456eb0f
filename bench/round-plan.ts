/**
 * What a round takes: for each case, samples of those who are compared, next to each other in time.
 *
 * R1 Who comes first rotates from round to round, so that a machine that gets slower or faster favours nobody.
 * R2 Ratios are taken within a round, never between rounds.
 */
import type { Load, SampleSpec, Subject, TurnsSpec } from './sample-spec.ts';

export const cases = ['turns', 'young', 'runs', 'disk', 'resume', 'suspended', 'seen', 'traced'] as const;
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
  /** Of the first runs of a process, and how many are measured. */
  readonly youngLengths: readonly number[];
  readonly youngRuns: number;
  readonly atOnce: readonly number[];
  readonly turnsAtOnce: number;
  readonly longTurns: number;
  readonly resumedTurns: number;
  readonly suspended: readonly number[];
  readonly seenTurns: number;
  readonly tracedLengths: readonly number[];
  readonly leastMs: number;
  readonly warmUpMs: number;
  readonly settleMs: number;
  readonly probeSyncs: number;
}

export const fullSizes: Sizes = {
  lengths: [10, 50, 200, 500, 2_000],
  youngLengths: [10, 50],
  youngRuns: 20,
  atOnce: [1, 16, 256],
  turnsAtOnce: 50,
  longTurns: 500,
  resumedTurns: 1_000,
  suspended: [1_000, 100_000],
  seenTurns: 200,
  tracedLengths: [50, 200],
  leastMs: 800,
  warmUpMs: 2_000,
  settleMs: 800,
  probeSyncs: 500,
};

export const quickSizes: Sizes = {
  lengths: [10, 40],
  youngLengths: [10],
  youngRuns: 2,
  atOnce: [1, 16],
  turnsAtOnce: 10,
  longTurns: 40,
  resumedTurns: 100,
  suspended: [200],
  seenTurns: 40,
  tracedLengths: [10],
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
    ...(wanted('young') ? sizes.youngLengths.map((turns) => youngOf(sizes, turns)) : []),
    ...(wanted('runs') ? [atOnceOf(sizes, 'tmpfs'), atOnceOf(sizes, 'disk')] : []),
    ...(wanted('disk') ? [diskOf(sizes)] : []),
    ...(wanted('resume')
      ? [[{ id: 'resume', place: 'disk', spec: { kind: 'resume', turns: sizes.resumedTurns } } as const]]
      : []),
    ...(wanted('seen')
      ? [[{ id: 'seen', place: 'tmpfs', spec: { kind: 'seen', turns: sizes.seenTurns } } as const]]
      : []),
    ...(wanted('traced') ? [tracedOf(sizes)] : []),
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

/** One length for each process: after the first runs it is young no longer. */
function youngOf(sizes: Sizes, turns: number): readonly Planned[] {
  return (['axle', 'ai-sdk'] as const).map((subject) => ({
    id: `young-${turns}/${subject}`,
    place: 'tmpfs',
    spec: turnsSpec(sizes, subject, {
      loads: [{ turns, runs: 1 }],
      warmUpMs: 0,
      settleMs: 0,
      repetitions: sizes.youngRuns,
    }),
  }));
}

function atOnceOf(sizes: Sizes, place: 'tmpfs' | 'disk'): readonly Planned[] {
  const loads = sizes.atOnce.map((runs) => ({ turns: sizes.turnsAtOnce, runs }));
  // On a disk the floor is a durable one: what it commits is synced, many runs at a time.
  const durability = place === 'disk' ? 'strict' : 'effects';
  return [
    { id: `runs-${place}/floor`, place, spec: turnsSpec(sizes, 'floor', { loads, durability }) },
    { id: `runs-${place}/axle`, place, spec: turnsSpec(sizes, 'axle', { loads }) },
  ];
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

/** The same runs, followed by nobody, by traces, and by traces and metrics. */
function tracedOf(sizes: Sizes): readonly Planned[] {
  const loads = sizes.tracedLengths.map((turns) => ({ turns, runs: 1 }));
  return (['axle', 'axle-traced', 'axle-followed'] as const).map((subject) => ({
    id: `traced/${subject}`,
    place: 'tmpfs',
    spec: {
      ...turnsSpec(sizes, subject, { loads }),
      // Spans are made now and then, of hundreds of appends at once: it takes longer until that is compiled, and until it is measured often enough.
      warmUpMs: 3 * sizes.warmUpMs,
      settleMs: 3 * sizes.settleMs,
      leastMs: 3 * sizes.leastMs,
    },
  }));
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
  what: { readonly loads: readonly Load[] } & Partial<
    Pick<TurnsSpec, 'effect' | 'durability' | 'warmUpMs' | 'settleMs' | 'repetitions'>
  >,
): WithoutFolder<TurnsSpec> {
  const { leastMs, warmUpMs, settleMs } = sizes;
  return { kind: 'turns', subject, effect: 'read', durability: 'effects', leastMs, warmUpMs, settleMs, ...what };
}

/** True for a sample that needs the peers to be installed. */
export function needsPeers({ spec }: Planned): boolean {
  return spec.kind === 'turns' && (spec.subject === 'ai-sdk' || spec.subject === 'lang-graph');
}
