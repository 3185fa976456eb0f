/** Leanings of a scenario: places where rare things meet often, so that a few thousand seeds are enough to see them. */
import type { Draws } from '../machine/draws.ts';
import type { Fault, FaultKind } from '../machine/fault.ts';
import type { Behaviour, RunPlan, Scenario, TurnPlan } from './scenario.ts';

export type Theme = (draws: Draws, scenario: Scenario) => Scenario;

const asking = ['pay', 'wire', 'grant'];
const writing = ['note', 'book', 'note', 'pay', 'put', 'tag'];

function turnsOf(draws: Draws, tools: readonly string[]): readonly TurnPlan[] {
  return Array.from({ length: draws.pick([1, 2, 2]) }, () => ({
    kind: 'calls' as const,
    calls: Array.from({ length: draws.pick([1, 2, 2, 3]) }, () => ({ tool: draws.pick(tools), form: 'good' as const })),
  }));
}

/** The same scenario with one run of an agent, changed. */
function withRun(scenario: Scenario, change: Partial<RunPlan>): Scenario {
  const [first] = scenario.runs;
  return first === undefined ? scenario : { ...scenario, runs: [{ ...first, kind: 'agent', ...change }] };
}

function withFaults(scenario: Scenario, faults: readonly Fault[]): Scenario {
  const kept = scenario.faults.filter((fault) => !('run' in fault));
  // What the theme wants comes first; only one thing goes wrong at one point.
  const byPoint = new Map([...kept, ...faults].map((fault) => [fault.at, fault]));
  return { ...scenario, faults: [...byPoint.values()].toSorted((a, b) => a.at - b.at) };
}

/** A question is open while the power goes, or until after it has expired. */
const openQuestion: Theme = (draws, scenario) => {
  const isCut = draws.chance(0.6);
  const afterMs = isCut ? draws.pick([20, 900, 4_000]) : 11_000;
  const fault: FaultKind = isCut
    ? { kind: 'power-cut', position: 'before', kept: draws.pick([0, 0, 128]), restartAfterMs: draws.pick([10, 300]) }
    : { kind: 'crash', position: 'after', restartAfterMs: 14_000 };
  const run = withRun(scenario, {
    turns: turnsOf(draws, asking),
    waits: draws.chance(0.2),
    approvals: [
      { answer: 'approve', afterMs },
      { answer: 'approve', afterMs: 4_000 },
    ],
    models: [],
    behaviours: [],
  });
  return withFaults({ ...run, durability: 'effects' }, [{ at: 10 + draws.below(14), ...fault }]);
};

/** A process is told to go while something is in hand, and something else is due. */
const leaving: Theme = (draws, scenario) => {
  const behaviours = Array.from({ length: 4 }, () =>
    draws.pick<Behaviour>(['limits', 'is-busy', 'slow', 'acts-silently', 'ok']),
  );
  return withFaults(withRun(scenario, { turns: turnsOf(draws, ['look', 'count', 'tag', 'put', 'note']), behaviours }), [
    { at: 9 + draws.below(16), kind: 'shut-down', restartAfterMs: draws.pick([50, 2_000]) },
  ]);
};

/** The caller changes its mind while effects are under way. */
const changedMind: Theme = (draws, scenario) => {
  const behaviours = Array.from({ length: 3 }, () =>
    draws.pick<Behaviour>(['slow', 'swallows', 'acts-silently', 'acts-late', 'heeds-abort', 'is-busy']),
  );
  return withFaults(withRun(scenario, { turns: turnsOf(draws, writing), behaviours }), [
    { at: 9 + draws.below(14), kind: 'cancel', run: 0 },
  ]);
};

/** Writes go without an answer, here and there. */
const badLine: Theme = (draws, scenario) => {
  const faults = Array.from({ length: 4 }, (): Fault => ({
    at: 3 + draws.below(40),
    kind: draws.chance(0.6) ? 'unacknowledged' : 'lost',
  }));
  return withFaults(scenario, faults);
};

/** Workers race for runs that are taken from each other. */
const race: Theme = (draws, scenario) => {
  const faults = Array.from({ length: 2 }, (): Fault => ({
    at: 5 + draws.below(40),
    kind: 'steal',
    forMs: draws.pick([0, 40, 40]),
  }));
  return withFaults({ ...scenario, workers: draws.pick([2, 3]), sharing: 'everybody' }, faults);
};

/** A run is hard to start: the store takes nothing and the process is told to go, or the start goes without an answer. */
const hardStart: Theme = (draws, scenario) => {
  const at = 1 + draws.below(3);
  const faults: readonly Fault[] = draws.chance(0.5)
    ? [{ at: 4 + draws.below(3), kind: draws.chance(0.3) ? 'lost' : 'unacknowledged' }]
    : [
        { at, kind: 'unavailable', forMs: 1_500, reads: draws.chance(0.3) },
        { at: at + 1 + draws.below(4), kind: 'shut-down', restartAfterMs: 50 },
      ];
  // Often nothing else goes wrong that would put it right again.
  return draws.chance(0.5)
    ? { ...scenario, workers: 1, runs: scenario.runs.slice(0, 1), faults }
    : withFaults(scenario, faults);
};

const plain: Theme = (_draws, scenario) => scenario;

/** Each as often as it stands here. */
export const themes: readonly Theme[] = [
  plain,
  plain,
  plain,
  plain,
  plain,
  plain,
  plain,
  openQuestion,
  leaving,
  changedMind,
  badLine,
  race,
  hardStart,
];
