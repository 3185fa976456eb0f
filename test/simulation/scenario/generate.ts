/** Makes a scenario from a seed: plans, faults and a tape, mostly plain with a few things going wrong, so that what goes wrong meets something that works. */
import { Draws } from '../machine/draws.ts';
import type { Fault, FaultKind, Position } from '../machine/fault.ts';
import {
  type Behaviour,
  behaviours,
  type CallPlan,
  modelFaults,
  type RunPlan,
  type Scenario,
  type TurnPlan,
  verifyFaults,
  answers,
} from './scenario.ts';
import { fromMemory, loggedOut, setBack, themes } from './themes.ts';
import { toolNames } from '../world/tools.ts';

const forms: readonly CallPlan['form'][] = [
  'same-id-again',
  'id-of-before',
  'no-id',
  'bad-arguments',
  'not-json',
  'unknown-tool',
  'needs-repair',
  'same-arguments',
];
const strangeTurns: readonly TurnPlan['kind'][] = ['truncated', 'empty', 'unreadable', 'says-nothing-useful'];
const positions: readonly Position[] = ['before', 'inside', 'after'];
/** Points that one turn of a run takes, about. */
const pointsPerTurn = 13;

export function generate(seed: number): Scenario {
  const draws = new Draws(seed);
  // Small ones come back to the same few places often enough for what is rare to meet there.
  const isSmall = draws.chance(0.5);
  const runCount = isSmall ? draws.pick([1, 1, 1, 1, 1, 2]) : draws.pick([1, 1, 2, 2, 3]);
  const runs = Array.from({ length: runCount }, (_, index) => runPlan(draws, index, isSmall));
  const turns = runs.reduce((sum, run) => sum + run.turns.length + 1, 0);
  const theme = draws.pick(themes);
  const scenario = theme(draws, {
    seed,
    workers: isSmall ? draws.pick([1, 1, 1, 2]) : draws.pick([1, 2, 2, 3]),
    sharing: draws.chance(0.35) ? 'everybody' : 'one',
    durability: draws.chance(0.15) ? 'strict' : 'effects',
    snapshotEvery: draws.chance(0.4) ? 2 + draws.below(5) : 0,
    runs,
    faults: faults(draws, turns * pointsPerTurn, runs),
    tape: tape(draws),
  });
  if (draws.chance(0.06)) return loggedOut(draws, scenario);
  if (draws.chance(0.02)) return setBack(draws, scenario);
  return draws.chance(0.12) ? fromMemory(draws, scenario) : scenario;
}

function runPlan(draws: Draws, index: number, isSmall: boolean): RunPlan {
  const isCall = draws.chance(index === 0 ? 0.05 : 0.25);
  const turns = isCall
    ? [{ kind: 'calls' as const, calls: [callPlan(draws, { strange: 0 })] }]
    : turnPlans(draws, isSmall);
  return {
    kind: isCall ? 'call' : 'agent',
    startAfterMs: 5 + index * draws.pick([0, 3, 40]),
    waits: draws.chance(0.6),
    turns,
    onDoubt: draws.chance(0.2) ? 'tell' : 'ask',
    behaviours: behavioursOf(draws),
    models: some(draws, 5, () => (draws.chance(0.75) ? 'ok' : draws.pick(modelFaults))),
    verifies: some(draws, 4, () => (draws.chance(0.6) ? 'truth' : draws.pick(verifyFaults))),
    approvals: some(draws, 4, () => ({
      answer: draws.chance(0.6) ? 'approve' : draws.pick(answers),
      afterMs: draws.pick([20, 100, 900, 4_000, 11_000, 30_000]),
    })),
    doubts: some(draws, 4, () => ({
      then: draws.chance(0.6) ? 'retry' : 'fail',
      afterMs: draws.pick([20, 200, 3_000, 20_000]),
    })),
    words: some(draws, draws.pick([0, 0, 0, 2]), () => ({
      ask: 1 + draws.below(turns.length + 1),
      afterMs: draws.below(6),
      what: draws.chance(0.4) ? 'cancel' : 'message',
    })),
  };
}

function turnPlans(draws: Draws, isSmall: boolean): readonly TurnPlan[] {
  if (!isSmall) return Array.from({ length: draws.pick([1, 2, 2, 3]) }, () => turnPlan(draws, { strange: 0.15 }));
  // One tool again and again, sometimes with the same arguments.
  const tool = draws.pick(toolNames);
  const form = draws.chance(0.25) ? 'same-arguments' : undefined;
  return Array.from({ length: draws.pick([1, 2, 2]) }, () =>
    turnPlan(draws, { strange: 0.05, tool, ...(form === undefined ? {} : { form }) }),
  );
}

/** A run meets a few ways to misbehave again and again, rather than each of them once. */
function behavioursOf(draws: Draws): readonly Behaviour[] {
  const mood = Array.from({ length: 3 }, () => draws.pick<Behaviour>(rare(draws)));
  const calm = draws.pick([0.3, 0.55, 0.8]);
  return some(draws, 8, () => (draws.chance(calm) ? 'ok' : draws.pick(mood)));
}

/** What leaves a caller in doubt is what matters most. */
const unanswered: readonly Behaviour[] = ['swallows', 'acts-silently', 'acts-late', 'answers-late', 'declines-late'];

// The one that costs a megabyte each time is drawn seldom.
function rare(draws: Draws): readonly Behaviour[] {
  if (draws.chance(0.02)) return ['answers-too-much'];
  return draws.chance(0.25) ? unanswered : behaviours.filter((behaviour) => behaviour !== 'answers-too-much');
}

function some<T>(draws: Draws, most: number, make: () => T): readonly T[] {
  return Array.from({ length: draws.below(most + 1) }, make);
}

interface Leaning {
  /** How often a call is ill formed. */
  readonly strange: number;
  /** Which tool is called more often than others, and how. */
  readonly tool?: string;
  readonly form?: CallPlan['form'];
}

function turnPlan(draws: Draws, leaning: Leaning): TurnPlan {
  const kind = draws.chance(0.92) ? 'calls' : draws.pick(strangeTurns);
  const most = leaning.tool === undefined ? [1, 2, 2, 3] : [2, 2, 3];
  return { kind, calls: Array.from({ length: draws.pick(most) }, () => callPlan(draws, leaning)) };
}

function callPlan(draws: Draws, { strange, tool, form }: Leaning): CallPlan {
  return {
    tool: tool !== undefined && draws.chance(0.7) ? tool : draws.pick(toolNames),
    form: form !== undefined && draws.chance(0.8) ? form : draws.chance(strange) ? draws.pick(forms) : 'good',
  };
}

function tape(draws: Draws): readonly number[] {
  if (draws.chance(0.25)) return [];
  return Array.from({ length: draws.below(160) }, () => (draws.chance(0.5) ? 0 : draws.below(256)));
}

/** One crash at least, where something is likely to happen; the rest close behind it, so that recoveries are hit too. */
function faults(draws: Draws, points: number, runs: readonly RunPlan[]): readonly Fault[] {
  const first = 4 + draws.below(Math.ceil(points * 0.7));
  const list: Fault[] = [{ at: first, ...crash(draws) }];
  const more = draws.pick([0, 0, 1, 1, 2, 3, 5]);
  let at = draws.chance(0.6) ? first : draws.pick([1, 3]);
  for (let index = 0; index < more; index += 1) {
    at += 1 + draws.below(draws.pick([4, 12, 40]));
    list.push({ at, ...anyFault(draws, runs) });
  }
  // Only one thing goes wrong at one point.
  return [...new Map(list.map((fault) => [fault.at, fault])).values()].toSorted((a, b) => a.at - b.at);
}

function crash(draws: Draws): FaultKind {
  const restartAfterMs = draws.pick([10, 300, 2_500, 9_000, 14_000]);
  if (draws.chance(0.25)) {
    return {
      kind: 'power-cut',
      position: draws.pick(positions),
      kept: draws.pick([0, 0, 60, 128, 255]),
      restartAfterMs,
    };
  }
  return { kind: 'crash', position: draws.pick(positions), restartAfterMs };
}

function anyFault(draws: Draws, runs: readonly RunPlan[]): FaultKind {
  switch (draws.below(14)) {
    case 0:
    case 1:
    case 2:
      return crash(draws);
    case 3:
      return { kind: draws.chance(0.5) ? 'lost' : 'unacknowledged' };
    case 4:
      return { kind: 'unavailable', forMs: draws.pick([100, 1_500, 8_000]), reads: draws.chance(0.4) };
    case 5:
      return { kind: 'slow', forMs: draws.pick([10, 600, 3_000]) };
    case 6:
    case 7:
      return { kind: 'freeze', forMs: draws.pick([500, 4_000, 60_000]) };
    case 8:
    case 9:
      return { kind: 'steal', forMs: draws.pick([0, 40, 40, 600]) };
    case 10:
      return { kind: 'jump', byMs: draws.pick([-3_600_000, -5_000, 5_000, 60_000]) };
    case 11:
    case 12:
      return { kind: draws.chance(0.5) ? 'cancel' : 'message', run: draws.below(runs.length) };
    default:
      return { kind: 'shut-down', restartAfterMs: draws.pick([50, 2_000]) };
  }
}
