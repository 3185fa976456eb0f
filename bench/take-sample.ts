/**
 * Takes one sample in a process of its own. One during which others took more than 0.35 of a processor is taken again, a few times and within the patience of the whole
 * bench; of each measurement the quietest is kept. When the machine does not become quiet, what is judged by it says so.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sample, SampleSpec } from './sample-spec.ts';
import type { Planned } from './round-plan.ts';

/** Processors that others may take during a sample that is judged. */
export const maxForeignCores = 0.35;

export interface TakeOptions {
  readonly folders: Readonly<Record<Planned['place'], string>>;
  /** Milliseconds that noisy samples may take once more, in all. */
  readonly patience: { leftMs: number };
  readonly tell: (line: string) => void;
}

const entry = fileURLToPath(new URL('./sample.ts', import.meta.url));
const limitMs = 15 * 60_000;
const pauseMs = 2_000;
const maxRepeats = 5;

export async function takeSample(planned: Planned, options: TakeOptions): Promise<Sample> {
  let quietest = await once(planned, options);
  for (
    let repeat = 0;
    repeat < maxRepeats && noiseOf(quietest) > maxForeignCores && options.patience.leftMs > 0;
    repeat += 1
  ) {
    const startedMs = performance.now();
    options.tell(`  ${planned.id}: others took ${noiseOf(quietest).toFixed(2)} of a processor; once more`);
    await delay(pauseMs);
    quietest = quieterOf(quietest, await once(planned, options));
    options.patience.leftMs -= performance.now() - startedMs;
  }
  return quietest;
}

async function once(planned: Planned, { folders }: TakeOptions): Promise<Sample> {
  const folder = mkdtempSync(join(folders[planned.place], 'axle-bench-'));
  try {
    return await run({ ...planned.spec, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The quieter one of each measurement: its loads are independent of each other. */
export function quieterOf(left: Sample, right: Sample): Sample {
  return left.map((measurement, load) => {
    const other = right[load];
    return other !== undefined && (other.foreignCores ?? 0) < (measurement.foreignCores ?? 0) ? other : measurement;
  });
}

/** The most that others took during one of a sample's measurements; 0 where it cannot be read. */
function noiseOf(sample: Sample): number {
  return Math.max(0, ...sample.map((measurement) => measurement.foreignCores ?? 0));
}

function run(spec: SampleSpec): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const options = {
      timeout: limitMs,
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, AI_SDK_LOG_WARNINGS: 'false', LANGSMITH_TRACING: 'false' },
    };
    execFile(process.execPath, ['--expose-gc', entry, JSON.stringify(spec)], options, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Sample);
      else reject(new Error(`The sample ${JSON.stringify(spec)} failed: ${stderr.slice(-2_000)}`, { cause: error }));
    });
  });
}
