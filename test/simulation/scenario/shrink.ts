/** Makes a failing scenario smaller as long as it fails in the same way, so that what is left is what the failure needs. */
import type { Scenario } from './scenario.ts';
import { backMs } from './themes.ts';

/** Yields simpler scenarios, the boldest first. */
function* simpler(scenario: Scenario): Iterable<Scenario> {
  const { runs, faults, tape } = scenario;
  if (tape.length > 0) yield { ...scenario, tape: [] };
  if (tape.length > 1) yield { ...scenario, tape: tape.slice(0, Math.floor(tape.length / 2)) };
  for (let index = 0; index < runs.length && runs.length > 1; index += 1) yield withoutRun(scenario, index);
  for (let index = 0; index < faults.length; index += 1) yield { ...scenario, faults: faults.toSpliced(index, 1) };
  // What puts everything right again stays.
  const { changes = [] } = scenario;
  for (const [index, { afterMs }] of changes.entries()) {
    if (afterMs < backMs) yield { ...scenario, changes: changes.toSpliced(index, 1) };
  }
  if (scenario.workers > 1) yield { ...scenario, workers: scenario.workers - 1 };
  if (scenario.snapshotEvery > 0) yield { ...scenario, snapshotEvery: 0 };
  if (scenario.sharing === 'everybody') yield { ...scenario, sharing: 'one' };
  if (scenario.durability === 'strict') yield { ...scenario, durability: 'effects' };
  yield* simplerRuns(scenario);
  for (const [index, choice] of tape.entries()) if (choice !== 0) yield { ...scenario, tape: tape.with(index, 0) };
  if (tape.length > 0 && tape.at(-1) === 0) yield { ...scenario, tape: tape.slice(0, -1) };
}

function withoutRun(scenario: Scenario, index: number): Scenario {
  const faults = scenario.faults
    .filter((fault) => !('run' in fault) || fault.run !== index)
    .map((fault) => ('run' in fault && fault.run > index ? { ...fault, run: fault.run - 1 } : fault));
  return { ...scenario, runs: scenario.runs.toSpliced(index, 1), faults };
}

function* simplerRuns(scenario: Scenario): Iterable<Scenario> {
  for (const [index, run] of scenario.runs.entries()) {
    const changed = (change: Partial<typeof run>): Scenario => ({
      ...scenario,
      runs: scenario.runs.with(index, { ...run, ...change }),
    });
    for (const list of ['behaviours', 'models', 'verifies', 'approvals', 'doubts', 'words'] as const) {
      if (run[list].length > 0) yield changed({ [list]: run[list].slice(0, -1) });
    }
    for (let turn = 0; turn < run.turns.length && run.turns.length > 1; turn += 1) {
      yield changed({ turns: run.turns.toSpliced(turn, 1) });
    }
    for (const [place, turn] of run.turns.entries()) {
      for (let call = 0; call < turn.calls.length && turn.calls.length > 1; call += 1) {
        yield changed({ turns: run.turns.with(place, { ...turn, calls: turn.calls.toSpliced(call, 1) }) });
      }
      if (turn.kind !== 'calls') yield changed({ turns: run.turns.with(place, { ...turn, kind: 'calls' }) });
      for (const [call, plan] of turn.calls.entries()) {
        if (plan.form !== 'good') {
          yield changed({
            turns: run.turns.with(place, { ...turn, calls: turn.calls.with(call, { ...plan, form: 'good' }) }),
          });
        }
      }
    }
    for (const [place, behaviour] of run.behaviours.entries()) {
      if (behaviour !== 'ok') yield changed({ behaviours: run.behaviours.with(place, 'ok') });
    }
    for (const [place, fault] of run.models.entries()) {
      if (fault !== 'ok') yield changed({ models: run.models.with(place, 'ok') });
    }
    const { authorizations = [] } = run;
    if (authorizations.length > 0) yield changed({ authorizations: authorizations.slice(0, -1) });
    if (run.undo !== undefined) {
      const { undo: _, ...rest } = run;
      yield { ...scenario, runs: scenario.runs.with(index, rest) };
    }
    if (run.waits) yield changed({ waits: false });
    if (run.onDoubt === 'tell') yield changed({ onDoubt: 'ask' });
  }
}

/** The smallest scenario found that still fails. `attempts` bounds how many are tried. */
export async function shrink(
  scenario: Scenario,
  fails: (candidate: Scenario) => Promise<boolean>,
  attempts = 1_500,
): Promise<Scenario> {
  let smallest = scenario;
  let left = attempts;
  for (;;) {
    const next = await firstFailing(simpler(smallest), async (candidate) => {
      left -= 1;
      return left >= 0 && fails(candidate);
    });
    if (next === undefined || left < 0) return smallest;
    smallest = next;
  }
}

async function firstFailing(
  candidates: Iterable<Scenario>,
  fails: (candidate: Scenario) => Promise<boolean>,
): Promise<Scenario | undefined> {
  for (const candidate of candidates) if (await fails(candidate)) return candidate;
  return undefined;
}
