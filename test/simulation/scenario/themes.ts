/** Leanings of a scenario: places where rare things meet often, so that a few thousand seeds are enough to see them. */
import type { Draws } from '../machine/draws.ts';
import type { Fault, FaultKind } from '../machine/fault.ts';
import { type Behaviour, type Change, loginAnswers, type RunPlan, type Scenario, type TurnPlan } from './scenario.ts';

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

/** Several runs go to the same upstreams, which misbehave, and the process is lost or taken from meanwhile. */
const crowdedUpstream: Theme = (draws, scenario) => {
  const [first] = scenario.runs;
  if (first === undefined) return scenario;
  const tools = draws.pick([
    ['ask'],
    ['hand'],
    ['ring'],
    ['ask', 'hand'],
    ['ask', 'ring', 'note'],
    ['ring', 'ring', 'look'],
  ]);
  const moods: readonly Behaviour[] = [
    'ok',
    'is-busy',
    'limits',
    'faults-before',
    'resets-before',
    'swallows',
    'slow',
    'declines',
  ];
  const runs = Array.from({ length: draws.pick([1, 2, 2, 3]) }, (_, index): RunPlan => ({
    ...first,
    kind: 'agent',
    startAfterMs: 5 + index * draws.pick([0, 2, 30]),
    turns: turnsOf(draws, tools),
    behaviours: Array.from({ length: 6 }, () => (draws.chance(0.5) ? 'ok' : draws.pick(moods))),
    models: [],
    words: draws.chance(0.2) ? first.words : [],
  }));
  const workers = draws.pick([1, 1, 1, 2]);
  const faults = Array.from({ length: draws.pick([1, 1, 2]) }, (): Fault => {
    const at = 6 + draws.below(50);
    if (workers > 1 && draws.chance(0.6)) return { at, kind: 'steal', forMs: draws.pick([0, 40]) };
    return draws.chance(0.25)
      ? { at, kind: 'shut-down', restartAfterMs: 50 }
      : { at, kind: 'crash', position: draws.pick(['before', 'after']), restartAfterMs: draws.pick([10, 10, 60, 300]) };
  });
  const others = draws.chance(0.3) ? scenario.faults.filter((fault) => !('run' in fault)) : [];
  const sharing = workers > 1 ? 'everybody' : scenario.sharing;
  return withFaults({ ...scenario, runs, workers, sharing, faults: others }, faults);
};

/** Several runs want one lock, and whoever has it is lost, stopped or in doubt. */
const oneLock: Theme = (draws, scenario) => {
  const [first] = scenario.runs;
  if (first === undefined) return scenario;
  const tools = draws.pick([
    ['seal'],
    ['seal', 'stow'],
    ['seal', 'peek'],
    ['stow', 'peek'],
    ['seal', 'stow', 'peek', 'note'],
  ]);
  const moods: readonly Behaviour[] = ['slow', 'swallows', 'acts-silently', 'resets-after', 'is-busy', 'declines'];
  const runs = Array.from({ length: draws.pick([2, 2, 3]) }, (_, index): RunPlan => {
    const isCall = draws.chance(0.4);
    return {
      ...first,
      kind: isCall ? 'call' : 'agent',
      // Some come when the first is in doubt already.
      startAfterMs: 5 + index * draws.pick([0, 2, 30, 1_100]),
      turns: isCall ? [{ kind: 'calls', calls: [{ tool: draws.pick(tools), form: 'good' }] }] : turnsOf(draws, tools),
      behaviours: Array.from({ length: 6 }, () => (draws.chance(0.5) ? 'ok' : draws.pick(moods))),
      models: [],
      doubts: [{ then: draws.pick(['retry', 'fail']), afterMs: draws.pick([200, 3_000, 20_000]) }],
      words: draws.chance(0.2) ? first.words : [],
    };
  });
  const faults = Array.from({ length: draws.pick([1, 1, 2]) }, (): Fault => ({
    at: 6 + draws.below(50),
    kind: 'crash',
    position: draws.pick(['before', 'after']),
    restartAfterMs: draws.pick([10, 60, 300]),
  }));
  const workers = draws.pick([1, 1, 1, 2]);
  return withFaults({ ...scenario, runs, workers, sharing: workers > 1 ? 'everybody' : scenario.sharing }, faults);
};

/** Tools are down, and others stand in for them. */
const fallingBack: Theme = (draws, scenario) => {
  const down = draws.pick<Behaviour>(['is-busy', 'declines', 'faults-after', 'acts-silently', 'declines']);
  const behaviours = Array.from({ length: 6 }, () =>
    draws.chance(0.65) ? down : draws.pick<Behaviour>(['ok', 'resets-after', 'throws-after', 'is-busy', 'limits']),
  );
  return withRun(scenario, { turns: turnsOf(draws, ['inquire', 'file', 'send', 'send', 'note']), behaviours });
};

/** The same is asked again and again, by several runs. */
const askedAgain: Theme = (draws, scenario) => {
  const turns = Array.from({ length: draws.pick([2, 3]) }, () => ({
    kind: 'calls' as const,
    calls: Array.from({ length: draws.pick([1, 2, 3]) }, () => ({
      tool: draws.pick(['recall', 'recall', 'remember']),
      form: draws.pick(['same-arguments', 'same-arguments', 'good'] as const),
    })),
  }));
  const behaviours = Array.from({ length: 5 }, () =>
    draws.pick<Behaviour>(['ok', 'ok', 'slow', 'is-busy', 'answers-strangely']),
  );
  const [first] = scenario.runs;
  if (first === undefined) return scenario;
  const run = { ...first, kind: 'agent' as const, turns, behaviours };
  const faults = scenario.faults.filter((fault) => !('run' in fault));
  return { ...scenario, runs: [run, { ...run, startAfterMs: run.startAfterMs + draws.pick([3, 30, 600]) }], faults };
};

/** What a run did is taken back, while things go wrong. */
const takenBack: Theme = (draws, scenario) => {
  const behaviours = Array.from({ length: 8 }, () =>
    draws.chance(0.6)
      ? 'ok'
      : draws.pick<Behaviour>(['declines', 'acts-silently', 'swallows', 'throws-after', 'resets-before', 'slow']),
  );
  return withRun(scenario, {
    turns: turnsOf(draws, draws.chance(0.7) ? ['reserve', 'mark', 'reserve'] : ['reserve', 'mark', 'note', 'look']),
    behaviours,
    undo: { afterMs: draws.pick([1, 20, 400]), times: draws.pick([1, 2, 3]), skips: draws.chance(0.5) },
  });
};

function changesOf(
  draws: Draws,
  { tool, mayBeOdd, workers }: { readonly tool: string; readonly mayBeOdd: boolean; readonly workers: number },
): readonly Change[] {
  // Away when the answer comes, and there as another version after it.
  if (draws.chance(0.35)) {
    return [
      { afterMs: draws.pick([9, 13, 20]), worker: 'all', tool, what: 'remove' },
      { afterMs: draws.pick([80, 150, 1_500]), worker: 'all', tool, what: 'replace' },
    ];
  }
  const kinds = mayBeOdd
    ? (['replace', 'odd', 'remove', 'odd', 'beside'] as const)
    : (['replace', 'replace', 'remove', 'beside'] as const);
  return Array.from({ length: 1 + draws.below(3) }, (): Change => ({
    afterMs: draws.pick([9, 13, 20, 40, 80, 150, 1_500, 5_000]),
    worker: draws.chance(0.7) ? 'all' : draws.below(workers),
    tool,
    what: draws.pick(kinds),
  }));
}

/** When what people changed begins to come back. */
export const backMs = 120_000;

/** Tools are replaced, removed and brought back under runs that use them. */
const moving: Theme = (draws, scenario) => {
  const names = draws.pick([
    ['pay', 'note'],
    ['wire', 'put'],
    ['grant', 'book'],
    ['count', 'tag'],
    ['look', 'count'],
  ]);
  // A call that waits before its next attempt is there when things change.
  const behaviours = Array.from({ length: 4 }, () =>
    draws.pick<Behaviour>(['limits', 'faults-after', 'faults-after', 'is-busy', 'declines', 'ok']),
  );
  const change: Partial<RunPlan> = draws.chance(0.5) ? { behaviours } : {};
  const run = withRun(scenario, { turns: turnsOf(draws, [...names, 'look']), models: [], ...change });
  const touched = run.runs.flatMap((plan) =>
    plan.kind === 'call' ? plan.turns.flatMap(({ calls }) => calls.map(({ tool }) => tool)) : [],
  );
  const tools = names.filter((name) => !touched.includes(name));
  const changes = tools
    .flatMap((tool) => changesOf(draws, { tool, mayBeOdd: tool === tools[0], workers: scenario.workers }))
    .toSorted((left, right) => left.afterMs - right.afterMs);
  // A run may have begun under any of them, and each must be there for a while for it to end.
  const back = tools.flatMap((tool): readonly Change[] => [
    { afterMs: backMs, worker: 'all', tool, what: tool === tools[0] ? 'odd' : 'beside' },
    { afterMs: 3 * backMs, worker: 'all', tool, what: 'beside' },
  ]);
  // The store is away when held runs are looked at.
  const away = (): Fault => ({ at: 14 + draws.below(50), kind: 'unavailable', forMs: 1_500, reads: true });
  const troubled = draws.chance(0.5) ? withFaults(run, [away(), away()]) : run;
  return { ...troubled, changes: [...changes, ...back.toSorted((left, right) => left.afterMs - right.afterMs)] };
};

/** Services want somebody to log in, again and again, and people answer as they like. Drawn beside the others, after them. */
export const loggedOut: Theme = (draws, scenario) => {
  const behaviours = Array.from({ length: 6 }, () =>
    draws.chance(0.55)
      ? 'wants-login'
      : draws.pick<Behaviour>(['ok', 'ok', 'wants-login-after', 'declines', 'acts-silently', 'is-busy', 'slow']),
  );
  const authorizations = Array.from({ length: draws.below(5) }, () => ({
    answer: draws.chance(0.4) ? ('grant' as const) : draws.pick(loginAnswers),
    afterMs: draws.pick([20, 100, 900, 4_000, 11_980, 30_000]),
  }));
  const tools = draws.pick([
    ['look', 'count'],
    ['look', 'put'],
    ['note', 'book'],
    ['pay', 'note'],
    ['hand', 'ask'],
  ]);
  const run = withRun(scenario, { turns: turnsOf(draws, tools), behaviours, authorizations, models: [] });
  // A driver is gone while a question is open, or until after it has expired.
  const at = 12 + draws.below(24);
  const restartAfterMs = draws.pick([10, 300, 2_500, 14_000]);
  return draws.chance(0.5) ? withFaults(run, [{ at, kind: 'crash', position: 'after', restartAfterMs }]) : run;
};

/** A process comes back with a clock that is an hour slow, to a call that waits for a time and a caller who waits for it. Drawn beside the others, after them. */
export const setBack: Theme = (draws, scenario) => {
  const [first] = scenario.runs;
  if (first === undefined) return scenario;
  const run: RunPlan = {
    ...first,
    kind: 'call',
    turns: [{ kind: 'calls', calls: [{ tool: draws.pick(['book', 'stow', 'pay', 'hand']), form: 'good' }] }],
    behaviours: Array.from({ length: 3 }, () => draws.pick<Behaviour>(['swallows', 'acts-silently', 'resets-after'])),
    approvals: [],
  };
  const crashAt = 10 + draws.below(10);
  const faults: readonly Fault[] = [
    { at: crashAt, kind: 'crash', position: 'after', restartAfterMs: draws.pick([10, 300]) },
    { at: crashAt + 1 + draws.below(5), kind: 'jump', byMs: -3_600_000 },
  ];
  // What a call asks for has to be there.
  const { changes: _, ...unchanged } = scenario;
  return withFaults({ ...unchanged, workers: 1, runs: [run, ...scenario.runs.slice(1, 2)], faults: [] }, faults);
};

/** Reads look into memory, and are asked for again and again. Drawn beside the others, after them. */
export const fromMemory: Theme = (draws, scenario) => {
  const tools = draws.chance(0.6) ? ['look'] : ['look', 'look', 'count', 'note', 'tag'];
  const turns = [...turnsOf(draws, tools), ...turnsOf(draws, tools), ...turnsOf(draws, tools)];
  return withRun(scenario, { turns, models: [], behaviours: [], answersAtOnce: true });
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
  openQuestion,
  leaving,
  changedMind,
  badLine,
  race,
  hardStart,
  crowdedUpstream,
  crowdedUpstream,
  oneLock,
  fallingBack,
  askedAgain,
  takenBack,
  moving,
  moving,
  moving,
];
