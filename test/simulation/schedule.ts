/** One schedule, run and judged. */
import { loadRun } from '../../src/run/load-run.ts';
import { judge, type Violation } from './checkers/all.ts';
import { countDoubled, countOutrun } from './checkers/effects.ts';
import { type Evidence, evidenceOf, type Stored } from './checkers/evidence.ts';
import type { Scenario } from './scenario/scenario.ts';
import { FakeStore } from './store/fake-store.ts';
import { type Simulated, simulate, type SimulationOptions } from './simulation.ts';

export interface Judged {
  readonly simulated: Simulated;
  readonly evidence: Evidence;
  readonly violations: readonly Violation[];
}

export async function runSchedule(scenario: Scenario, options: SimulationOptions = {}): Promise<Judged> {
  const simulated = await simulate(scenario, options);
  const { history, rest, disk } = simulated;
  const store = new FakeStore(disk);
  const stored = new Map<string, Stored>();
  for (const { runId } of disk.summaries()) {
    const loaded = disk.hasSnapshot(runId) ? await loadRun(store, runId) : undefined;
    stored.set(runId, { text: disk.text(runId), resumed: loaded?.state });
  }
  const evidence = evidenceOf(history, { rest, stored, durability: scenario.durability });
  return { simulated, evidence, violations: judge(evidence) };
}

/** What was seen, to tell a thorough pass from an empty one. (R45) */
export interface Tally {
  /** Schedules with at least two effects and one crash. */
  schedules: number;
  /** All schedules that were run. */
  attempted: number;
  crashes: number;
  effects: number;
  effectKinds: string[];
  inDoubt: number;
  approvals: number;
  /** Words of people about a login, counted by the calls that waited for them. */
  authorizations: number;
  claims: number;
  verifications: number;
  evidence: number;
  retries: number;
  cancels: number;
  admissions: number;
  /** Admissions after a wait. */
  queueWaits: number;
  breakersOpened: number;
  /** Calls that another tool of their chain took. */
  standIns: number;
  /** Calls that a kept result answered. */
  cached: number;
  /** Calls that were taken back. */
  undone: number;
  migrations: number;
  holds: number;
  /** Writes whose late effect came after it had been found out, truly, that there was none. */
  outrun: number;
  powerCutsThatLost: number;
  lost: number;
  doubled: number;
  violations: number;
}

export function emptyTally(): Tally {
  return {
    schedules: 0,
    attempted: 0,
    crashes: 0,
    effects: 0,
    effectKinds: [],
    inDoubt: 0,
    approvals: 0,
    authorizations: 0,
    claims: 0,
    verifications: 0,
    evidence: 0,
    retries: 0,
    cancels: 0,
    admissions: 0,
    queueWaits: 0,
    breakersOpened: 0,
    standIns: 0,
    cached: 0,
    undone: 0,
    migrations: 0,
    holds: 0,
    outrun: 0,
    powerCutsThatLost: 0,
    lost: 0,
    doubled: 0,
    violations: 0,
  };
}

/** Counts a schedule in; only one with at least two effects and a crash counts as such. */
export function count(tally: Tally, { simulated, evidence, violations }: Judged): void {
  const { history } = simulated;
  const kinds = new Set(tally.effectKinds);
  for (const effect of history.effects) kinds.add(effect.kind);
  tally.attempted += 1;
  if (history.effects.length >= 2 && history.crashes.length >= 1) tally.schedules += 1;
  tally.crashes += history.crashes.length;
  tally.effects += history.effects.length;
  tally.effectKinds = [...kinds].toSorted();
  tally.claims += history.claims.length;
  for (const { lines } of evidence.stories) {
    for (const { entry } of lines) {
      if (entry.type === 'call-doubted') tally.inDoubt += 1;
      if (entry.type === 'approval-answered') tally.approvals += 1;
      if (entry.type === 'authorization-answered') tally.authorizations += 1;
      if (entry.type === 'verify-finished') tally.verifications += 1;
      if (entry.type === 'evidence-received') tally.evidence += 1;
      if (entry.type === 'retry-scheduled') tally.retries += 1;
      if (entry.type === 'cancel-requested') tally.cancels += 1;
      if (entry.type === 'call-admitted') tally.admissions += 1;
      if (entry.type === 'call-admitted' && entry.waitedMs > 0) tally.queueWaits += 1;
      if (entry.type === 'breaker-changed' && entry.to === 'open') tally.breakersOpened += 1;
      if (entry.type === 'call-fell-back') tally.standIns += 1;
      if (entry.type === 'call-cached') tally.cached += 1;
      if (entry.type === 'call-bound' && entry.call.tool.endsWith('~undo')) tally.undone += 1;
      if (entry.type === 'contract-migrated') tally.migrations += 1;
      if (entry.type === 'run-held') tally.holds += 1;
    }
  }
  tally.outrun += countOutrun(evidence);
  tally.powerCutsThatLost += history.committed.some((append) => append.lostAt !== Infinity) ? 1 : 0;
  tally.violations += violations.length;
  if (violations.length === 0) return;
  tally.lost += violations.filter(({ law }) => law === 'nothingAcceptedIsLost').length;
  tally.doubled += countDoubled(evidence);
}

export function merge(into: Tally, other: Tally): void {
  into.effectKinds = [...new Set([...into.effectKinds, ...other.effectKinds])].toSorted();
  for (const key of [
    'schedules',
    'attempted',
    'crashes',
    'effects',
    'inDoubt',
    'approvals',
    'authorizations',
    'claims',
    'verifications',
    'evidence',
    'retries',
    'cancels',
    'admissions',
    'queueWaits',
    'breakersOpened',
    'standIns',
    'cached',
    'undone',
    'migrations',
    'holds',
    'outrun',
    'powerCutsThatLost',
    'lost',
    'doubled',
    'violations',
  ] as const) {
    into[key] += other[key];
  }
}
