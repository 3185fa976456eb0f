/** A thread that runs schedules from one seed on until its time is up, tallies what it saw, and makes what failed small. */
import { parentPort, workerData } from 'node:worker_threads';
import { generate } from './scenario/generate.ts';
import type { Recording } from './scenario/recording.ts';
import { count, emptyTally, runSchedule, type Tally } from './schedule.ts';
import type { Scenario } from './scenario/scenario.ts';
import { shrink } from './scenario/shrink.ts';

export interface Slice {
  readonly firstSeed: number;
  readonly forMs: number;
}

export interface Explored {
  readonly tally: Tally;
  readonly failures: readonly Failure[];
  /** Schedules that were run twice, and those that came out differently. */
  readonly repeated: number;
  readonly diverged: readonly number[];
}

export interface Failure extends Recording {
  readonly seed: number;
}

/** Failures that are made small; the rest is only counted. */
const maxFailures = 3;
/** How long one failure is made smaller: one that never comes to rest takes a second each time. */
const maxShrinkMs = 5_000;
/** One schedule in so many is run twice, to see that it comes out the same. */
const repeatEvery = 100;

/** How often a thread says how far it is. */
const reportEveryMs = 5_000;

async function explore({ firstSeed, forMs }: Slice, report: (progress: Explored) => void): Promise<Explored> {
  const startedMs = performance.now();
  let reportedMs = startedMs;
  let { tally, failures, diverged, repeated } = nothingYet();
  for (let seed = firstSeed; performance.now() - startedMs < forMs; seed += 1) {
    if (performance.now() - reportedMs > reportEveryMs) {
      report({ tally, failures, repeated, diverged });
      ({ tally, failures, diverged, repeated } = nothingYet());
      reportedMs = performance.now();
    }
    const scenario = generate(seed);
    const judged = await runSchedule(scenario);
    count(tally, judged);
    const [first] = judged.violations;
    if (first !== undefined && failures.length < maxFailures) failures.push(await smallest(scenario, first));
    if (seed % repeatEvery !== 0) continue;
    repeated += 1;
    const again = await runSchedule(scenario);
    if (again.simulated.traceHash !== judged.simulated.traceHash) diverged.push(seed);
  }
  return { tally, failures, repeated, diverged };
}

function nothingYet(): { tally: Tally; failures: Failure[]; diverged: number[]; repeated: number } {
  return { tally: emptyTally(), failures: [], diverged: [], repeated: 0 };
}

async function smallest(
  scenario: Scenario,
  broken: { readonly law: string; readonly message: string },
): Promise<Failure> {
  const untilMs = performance.now() + maxShrinkMs;
  const fails = async (candidate: Scenario): Promise<boolean> =>
    performance.now() < untilMs && (await runSchedule(candidate)).violations.some(({ law }) => law === broken.law);
  return { seed: scenario.seed, note: broken.message, law: broken.law, scenario: await shrink(scenario, fails) };
}

if (parentPort !== null && typeof workerData === 'object' && workerData !== null && 'slice' in workerData) {
  // What `main.ts` handed over.
  const { slice } = workerData as { readonly slice: Slice };
  const port = parentPort;
  port.postMessage(await explore(slice, (progress) => port.postMessage(progress)));
}
