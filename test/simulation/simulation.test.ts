import { expect, test } from 'vitest';
import { withdrawMachine } from './machine/ambient.ts';
import { canonicalScenarios } from './scenario/canonical.ts';
import { FakeDisk } from './store/fake-disk.ts';
import { generate } from './scenario/generate.ts';
import { Incarnation, type Sabotage } from './machine/incarnation.ts';
import { count, emptyTally, runSchedule } from './schedule.ts';
import type { Scenario } from './scenario/scenario.ts';
import { Scheduler } from './machine/scheduler.ts';
import { shrink } from './scenario/shrink.ts';
import { tooLittle } from './vacuous.ts';
import { newRun, post } from '../journal/sample-entries.ts';

const nothingFails: Sabotage = { meet: () => undefined, strike: () => {} };

function schedulerWith(tape: readonly number[] = []): Scheduler {
  return new Scheduler({ tape, startMs: 0, maxTasks: 1_000 });
}

function canonical(name: string): Scenario {
  const scenario = canonicalScenarios.get(name);
  if (scenario === undefined) throw new Error(`There is no canonical run "${name}".`);
  return scenario;
}

test('schedules of many seeds keep every law, and see enough of everything', { timeout: 60_000 }, async () => {
  const tally = emptyTally();
  const violations = [];
  for (let seed = 1; seed <= 700; seed += 1) {
    const judged = await runSchedule(generate(seed));
    count(tally, judged);
    violations.push(...judged.violations.map((violation) => ({ seed, ...violation })));
  }
  expect(violations).toEqual([]);
  expect(tooLittle(tally, { repeated: 1, seconds: 5 })).toEqual([]);
});

test('the same scenario runs the same way twice', async () => {
  for (const seed of [3, 14, 159, 265, 358]) {
    const first = await runSchedule(generate(seed));
    const second = await runSchedule(generate(seed));
    expect(second.simulated.traceHash).toBe(first.simulated.traceHash);
    expect(second.simulated.history).toEqual(first.simulated.history);
  }
});

test('a pass that saw nothing is none', () => {
  expect(tooLittle(emptyTally(), { repeated: 0, seconds: 60 })).not.toEqual([]);
});

test('code that reaches for the machine fails loudly while a schedule runs', () => {
  const giveBack = withdrawMachine();
  try {
    expect(() => Date.now()).toThrow(/must come in through a port/u);
    expect(() => new Date()).toThrow(/must come in through a port/u);
    expect(() => Math.random()).toThrow(/must come in through a port/u);
    expect(() => setTimeout(() => {}, 1)).toThrow(/must come in through a port/u);
    expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z');
  } finally {
    giveBack();
  }
  expect(Date.now()).toBeGreaterThan(0);
});

test('an exhausted tape means first in, first out; a tape chooses among what is ready', async () => {
  const order = async (tape: readonly number[]): Promise<string> => {
    const scheduler = schedulerWith(tape);
    const seen: string[] = [];
    for (const label of ['a', 'b', 'c']) scheduler.post({ label, run: () => seen.push(label) });
    await scheduler.run();
    return seen.join('');
  };
  expect(await order([])).toBe('abc');
  expect(await order([2, 1])).toBe('cba');
});

test('everything that follows from a task without waiting runs before the next one', async () => {
  const scheduler = schedulerWith();
  const seen: string[] = [];
  const chain = async (): Promise<void> => {
    for (let round = 0; round < 50; round += 1) await Promise.resolve();
    seen.push('end of the first');
  };
  scheduler.post({ label: 'first', run: () => void chain() });
  scheduler.post({ label: 'second', run: () => seen.push('second') });
  await scheduler.run();
  expect(seen).toEqual(['end of the first', 'second']);
});

test('a dead process hears nothing for ever, a frozen one hears it when it is thawed', async () => {
  const scheduler = schedulerWith();
  const [dead, frozen] = ['dead', 'frozen'].map((name) => new Incarnation(name, scheduler, nothingFails));
  const heard: string[] = [];
  void dead?.call('ask', 'read', () => 'x').then(() => heard.push('dead'));
  void frozen?.call('ask', 'read', () => 'x').then(() => heard.push(`frozen at ${scheduler.nowMs}`));
  dead?.after(10, () => heard.push('timer of the dead'));
  dead?.die();
  frozen?.freeze(500);
  await scheduler.run();
  expect(heard).toEqual(['frozen at 500']);
});

test('a power cut takes only what was not synced, from the end', async () => {
  const disk = new FakeDisk();
  const first = disk.create(newRun('run_1'), 'test');
  disk.sync(first.position);
  disk.create(newRun('run_2'), 'test');
  disk.create(newRun('run_3'), 'test');
  disk.powerCut(128);
  expect(disk.summaries().map((run) => run.runId)).toEqual(['run_1', 'run_2']);
  disk.powerCut(0);
  expect(disk.summaries().map((run) => run.runId)).toEqual(['run_1']);
  disk.create(newRun('run_2'), 'test');
  // A post is on the disk when it is answered, and so is everything before it.
  disk.post(post('run_1'), 'test');
  disk.powerCut(0);
  expect(disk.summaries().map((run) => run.runId)).toEqual(['run_1', 'run_2']);
});

test('a failing scenario is made as small as the failure allows', async () => {
  const large = generate(42);
  const small = await shrink(
    { ...large, workers: 3 },
    async (candidate) => candidate.workers >= 2 && candidate.runs.length >= 1,
  );
  expect(small).toMatchObject({ workers: 2, faults: [], tape: [], sharing: 'one', snapshotEvery: 0 });
  expect(small.runs).toHaveLength(1);
});

test('a write whose outcome a crash swallowed is in doubt, and is asked about and not repeated', async () => {
  const scenario = {
    ...canonical('a write'),
    faults: [{ at: 14, kind: 'crash', position: 'before', restartAfterMs: 20 } as const],
  };
  const { simulated, evidence, violations } = await runSchedule(scenario);
  expect(violations).toEqual([]);
  expect(simulated.history.effects.map((effect) => effect.tool)).toEqual(['note']);
  const types = evidence.stories.flatMap((story) => story.lines.map(({ entry }) => entry.type));
  expect(types).toContain('call-doubted');
  expect(types.filter((type) => type === 'attempt-started')).toHaveLength(1);
});
