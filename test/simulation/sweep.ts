/**
 * The exhaustive sweep: a canonical run is crashed before, inside and after every operation that changes something (the store's writes and syncs, requests to
 * services and to the model), or cut off from power there, then crashed once more at every such operation of what follows, recovery included. Reads are left out: a crash at one leaves the
 * same world behind as a crash after the operation before it.
 */
import type { Fault, Position } from './machine/fault.ts';
import type { Scenario } from './scenario/scenario.ts';
import { type Judged, runSchedule } from './schedule.ts';
import type { Point } from './simulation.ts';

export interface Swept {
  singles: number;
  pairs: number;
  crashes: number;
  effects: number;
  doubts: number;
  /** The first scenarios that broke a law, with what they broke. */
  readonly broken: { readonly scenario: Scenario; readonly messages: readonly string[] }[];
}

const positionsOf: Readonly<Record<Point['kind'], readonly Position[]>> = {
  write: ['before', 'inside', 'after'],
  sync: ['before', 'after'],
  effect: ['before', 'after'],
  model: ['before'],
  read: [],
  timer: [],
};

const restartAfterMs = 20;
const maxBroken = 5;

/** `pairs` of 1 makes every second crash, of n every n-th (for a smaller sweep). */
export async function sweep(scenario: Scenario, pairs = 1): Promise<Swept> {
  const swept: Swept = { singles: 0, pairs: 0, crashes: 0, effects: 0, doubts: 0, broken: [] };
  const calm = await run(scenario, []);
  for (const first of [...crashesAt(calm.points), ...powerCutsAt(calm.points)]) {
    const single = await run(scenario, [first]);
    swept.singles += 1;
    note(swept, single.judged, { ...scenario, faults: [first] });
    const later = single.points.filter((point) => point.at > first.at);
    for (const [index, second] of crashesAt(later).entries()) {
      if (index % pairs !== 0) continue;
      const pair = await run(scenario, [first, second]);
      swept.pairs += 1;
      note(swept, pair.judged, { ...scenario, faults: [first, second] });
    }
  }
  return swept;
}

function crashesAt(points: readonly Point[]): readonly Fault[] {
  return points.flatMap((point) =>
    positionsOf[point.kind].map((position) => ({ at: point.at, kind: 'crash' as const, position, restartAfterMs })),
  );
}

/** Losing power differs from a crash only where something had been committed and not synced: after a write, and before a sync. */
function powerCutsAt(points: readonly Point[]): readonly Fault[] {
  const isOpen = ({ kind }: Point): boolean => kind === 'write' || kind === 'sync' || kind === 'effect';
  return points.filter(isOpen).map((point) => ({
    at: point.at,
    kind: 'power-cut',
    position: point.kind === 'write' ? 'after' : 'before',
    kept: 0,
    restartAfterMs,
  }));
}

async function run(
  scenario: Scenario,
  faults: readonly Fault[],
): Promise<{ readonly judged: Judged; readonly points: readonly Point[] }> {
  const points: Point[] = [];
  // What people do on their own machine is no point of a worker.
  const onPoint = (point: Point): void => {
    if (!point.by.startsWith('people')) points.push(point);
  };
  return { judged: await runSchedule({ ...scenario, faults }, { onPoint }), points };
}

function note(swept: Swept, { simulated, violations }: Judged, scenario: Scenario): void {
  const { history } = simulated;
  swept.crashes += history.crashes.length;
  swept.effects += history.effects.length;
  swept.doubts += history.committed.reduce(
    (sum, { append }) => sum + append.entries.filter((entry) => entry.type === 'call-doubted').length,
    0,
  );
  if (violations.length > 0 && swept.broken.length < maxBroken) {
    swept.broken.push({ scenario, messages: violations.map(({ law, message }) => `${law}: ${message}`) });
  }
}
