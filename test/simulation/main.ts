/** `npm run sim`: hunts the planted bugs, then explores seeds until the time is up, and says what was seen. */
import { mkdirSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import type { Explored, Failure, Slice } from './explore.ts';
import { type Options, readOptions, usage } from './options.ts';
import { laws } from './checkers/all.ts';
import { plantedBugs } from './planted/bugs.ts';
import type { Hunted } from './planted/hunt.ts';
import { replay } from './replay.ts';
import { emptyTally, merge, type Tally } from './schedule.ts';
import { type Job, runJobs } from './threads.ts';
import { tooLittle } from './vacuous.ts';

const huntModule = new URL('planted/hunt.ts', import.meta.url);
const exploreModule = new URL('explore.ts', import.meta.url);
/** Seeds of one slice lie this far from those of the next. */
const seedsPerSlice = 1_000_000;
/** Bugs that one thread hunts in one go. */
const bugsPerBatch = 4;
const failureFolder = '.scratch/simulation';

interface Report extends Tally {
  readonly seed: number;
  readonly seconds: number;
  readonly repeated: number;
  readonly diverged: number;
  readonly planted: { readonly found: number; readonly total: number; readonly bugs: readonly Hunted[] };
  readonly failures: readonly {
    readonly seed: number;
    readonly law: string;
    readonly message: string;
    readonly file: string;
  }[];
  readonly tooLittle: readonly string[];
  readonly ok: boolean;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function simulateFor(options: Options): Promise<Report> {
  const startedMs = performance.now();
  const batches = batchesOf(plantedBugs.map(({ name }) => name));
  const hunted: Hunted[] = [];
  const tally = emptyTally();
  const failures: Failure[] = [];
  const again = { repeated: 0, diverged: 0 };
  let slices = 0;
  const huntNext = (names: readonly string[]): Job<Hunted> => ({
    module: huntModule,
    data: { huntFor: names },
    done: (answer) => {
      hunted.push(answer);
      say(
        `planted ${hunted.length}/${plantedBugs.length}  ${answer.bug}: ${answer.seed === undefined ? `NOT FOUND ${answer.failure ?? ''}` : `seed ${answer.seed}, ${answer.laws?.join(', ')}`}`,
      );
    },
  });
  const exploreNext = (slice: Slice): Job<Explored> => ({
    module: exploreModule,
    data: { slice },
    done: (answer) => {
      merge(tally, answer.tally);
      failures.push(...answer.failures);
      again.repeated += answer.repeated;
      again.diverged += answer.diverged.length;
      say(
        `${Math.round((performance.now() - startedMs) / 1_000)} s  ${tally.schedules} crash schedules, ${tally.effects} effects, ${tally.inDoubt} in doubt, ${tally.violations} violations`,
      );
    },
  });
  await runJobs(options.workers, () => {
    const batch = batches.shift();
    return batch === undefined ? undefined : huntNext(batch);
  });
  // The hunts have their own time: what is asked for is exploring, on all threads.
  const endMs = performance.now() + options.seconds * 1_000;
  await runJobs(options.workers, () => {
    const leftMs = endMs - performance.now();
    if (leftMs < 200) return undefined;
    slices += 1;
    return exploreNext({ firstSeed: options.seed + (slices - 1) * seedsPerSlice, forMs: leftMs });
  });
  return report({ options, tally, hunted, failures, ...again, seconds: (performance.now() - startedMs) / 1_000 });
}

/** The bugs, a few at a time: some take a hundred times as long to find as others, and no thread is to wait long for another. */
function batchesOf(names: readonly string[]): (readonly string[])[] {
  return Array.from({ length: Math.ceil(names.length / bugsPerBatch) }, (_, batch) =>
    names.slice(batch * bugsPerBatch, (batch + 1) * bugsPerBatch),
  );
}

interface Parts {
  readonly options: Options;
  readonly tally: Tally;
  readonly hunted: readonly Hunted[];
  readonly failures: readonly Failure[];
  readonly repeated: number;
  readonly diverged: number;
  readonly seconds: number;
}

function report({ options, tally, hunted, failures, repeated, diverged, seconds }: Parts): Report {
  const found = hunted.filter((answer) => answer.seed !== undefined).length;
  const proved = new Set(hunted.flatMap((answer) => answer.laws ?? []));
  const unproved = laws.map(({ check }) => check.name).filter((name) => !proved.has(name));
  const missing = [
    ...tooLittle(tally, { repeated, seconds: options.seconds }),
    ...unproved.map((name) => `no planted bug breaks ${name}`),
  ];
  return {
    ...tally,
    seed: options.seed,
    seconds: Math.round(seconds),
    repeated,
    diverged,
    planted: {
      found,
      total: plantedBugs.length,
      bugs: hunted.toSorted((a, b) => (b.seed ?? Infinity) - (a.seed ?? Infinity)),
    },
    failures: failures.map((failure) => ({
      seed: failure.seed,
      law: failure.law,
      message: failure.note,
      file: keep(failure),
    })),
    tooLittle: missing,
    ok: tally.violations === 0 && diverged === 0 && found === plantedBugs.length && missing.length === 0,
  };
}

function keep({ seed, note, law, scenario }: Failure): string {
  mkdirSync(failureFolder, { recursive: true });
  const file = `${failureFolder}/seed-${seed}.json`;
  writeFileSync(file, `${JSON.stringify({ note, law, scenario }, null, 2)}\n`);
  return file;
}

function print(result: Report): void {
  const { planted, failures } = result;
  say(
    `${result.schedules} crash schedules (${result.attempted} in all) in ${result.seconds} s: ${result.crashes} crashes, ${result.effects} effects of ${result.effectKinds.length} kinds, ${result.inDoubt} in doubt,`,
  );
  say(
    `${result.approvals} approvals, ${result.claims} claims; ${result.lost} lost, ${result.doubled} doubled, ${result.violations} violations; planted bugs found: ${planted.found} of ${planted.total}.`,
  );
  for (const failure of failures) {
    say(`BROKEN ${failure.law}: ${failure.message}\n  npm run sim -- --replay ${failure.file}`);
  }
  for (const bug of planted.bugs) {
    if (bug.seed === undefined) say(`PLANTED, AND NOT FOUND: ${bug.bug} ${bug.failure ?? ''}`);
  }
  if (result.diverged > 0) {
    say(`${result.diverged} of ${result.repeated} schedules that were run twice came out differently.`);
  }
  for (const line of result.tooLittle) say(`TOO LITTLE SEEN: ${line}`);
}

async function main(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (options.replay !== undefined) {
    const lines: string[] = [];
    const holds = await replay(options.replay, (line) => lines.push(line));
    process.stdout.write(`${lines.join('\n')}\n`);
    return holds ? 0 : 1;
  }
  const result = await simulateFor(options);
  print(result);
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  return result.ok ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
