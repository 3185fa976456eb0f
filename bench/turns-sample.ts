/**
 * Measures agent runs of one subject. Short runs on a store of their own warm the process up; then each load gets a new store, on which it runs unmeasured
 * until what is started once (threads, statements, files) is there, and then measured.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { measure } from './measure.ts';
import type { Load, Measurement, Sample, TurnsSpec } from './sample-spec.ts';
import type { OpenSubject, SubjectOpener } from './subject.ts';
import { subjectOpener } from './subjects.ts';

const maxRepetitions = 5_000;
/** Runs of the warm-up are short: what has to be compiled is the same. */
const warmUpTurns = 50;

export async function sampleTurns(spec: TurnsSpec): Promise<Sample> {
  const open = await subjectOpener(spec.subject);
  if (spec.warmUpMs > 0) await warmUp(spec, open);
  const measurements: Measurement[] = [];
  for (const [place, load] of spec.loads.entries()) {
    measurements.push(await measureLoad(spec, load, { open, path: join(spec.folder, `load-${place}.db`) }));
  }
  return measurements;
}

async function measureLoad(
  spec: TurnsSpec,
  load: Load,
  store: { readonly open: SubjectOpener; readonly path: string },
): Promise<Measurement> {
  const { open, path } = store;
  await (await open(spec, load, path)).close();
  const emptyBytes = sizeOf(path);
  // What the load before left behind is not this one's to clear away. Before it settles, since a forced collection shrinks the young generation, which
  // then costs every turn until it has grown again.
  globalThis.gc?.();
  const subject = await open(spec, load, path);
  const settled = spec.settleMs === 0 ? 0 : await repeat(subject, load, { leastMs: spec.settleMs, before: 0 });
  await subject.settle?.();
  const before = subject.counters();
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  let repetitions = 0;
  const { wallUs, cpuUs, foreignCores } = await measure(async () => {
    repetitions = await repeat(subject, load, { ...spec, before: settled });
    await subject.settle?.();
  });
  loop.disable();
  const counted = difference(subject.counters(), before);
  await subject.close();

  const runs = repetitions * load.runs;
  const turns = runs * load.turns;
  const bytes = (sizeOf(path) - emptyBytes) / ((settled + repetitions) * load.runs * load.turns);
  return {
    foreignCores,
    values: {
      runs,
      turns,
      cpuUs: cpuUs / turns,
      wallUs: wallUs / turns,
      bytes,
      loopP99Ms: loop.percentile(99) / 1e6,
      ...counted,
    },
  };
}

async function warmUp(spec: TurnsSpec, open: SubjectOpener): Promise<void> {
  const runs = Math.min(16, ...spec.loads.map((load) => load.runs));
  const load = { runs, turns: Math.min(warmUpTurns, Math.max(...spec.loads.map((load) => load.turns))) };
  const subject = await open(spec, load, join(spec.folder, 'warm-up.db'));
  await repeat(subject, load, { leastMs: spec.warmUpMs, before: 0 });
  await subject.close();
}

/**
 * Runs a load until `leastMs` have passed, at least once, or as often as `repetitions` says. Returns how often. `before` says how often it was run on this store
 * before.
 */
async function repeat(
  subject: OpenSubject,
  load: Load,
  { leastMs, repetitions: wanted, before }: Pick<TurnsSpec, 'leastMs' | 'repetitions'> & { readonly before: number },
): Promise<number> {
  const startedMs = performance.now();
  let repetitions = 0;
  do {
    const firstIndex = (before + repetitions) * load.runs + 1;
    const answers = await Promise.all(Array.from({ length: load.runs }, (_, index) => subject.run(firstIndex + index)));
    const wrong = answers.find((answer) => typeof answer !== 'string' || answer === '');
    if (wrong !== undefined) throw new Error(`A run ended without an answer: ${JSON.stringify(wrong)}`);
    repetitions += 1;
  } while (
    wanted === undefined
      ? performance.now() - startedMs < leastMs && repetitions < maxRepetitions
      : repetitions < wanted
  );
  return repetitions;
}

/** Bytes of a closed store. */
function sizeOf(path: string): number {
  return ['', '-wal'].reduce(
    (sum, suffix) => sum + (statSync(`${path}${suffix}`, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

function difference(
  after: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
}
