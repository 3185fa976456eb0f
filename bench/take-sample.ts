/**
 * Takes one sample in a process of its own. A sample during which others took more than 0.35 of a processor is taken again, a few times; when the machine
 * does not become quiet, the quietest one is kept, and what is judged by it says so.
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
  /** How often a noisy sample is taken again. */
  readonly repeats: number;
  readonly tell: (line: string) => void;
}

const entry = fileURLToPath(new URL('./sample.ts', import.meta.url));
const limitMs = 15 * 60_000;
const pauseMs = 2_000;
/** A sample that takes long is not repeated as often. */
const longestMs = 60_000;

export async function takeSample(planned: Planned, { folders, repeats, tell }: TakeOptions): Promise<Sample> {
  const startedMs = performance.now();
  let quietest: Sample | undefined;
  for (let attempt = 0; attempt <= repeats; attempt += 1) {
    if (quietest !== undefined && performance.now() - startedMs > longestMs) break;
    if (attempt > 0) await delay(pauseMs);
    const folder = mkdtempSync(join(folders[planned.place], 'axle-bench-'));
    let sample: Sample;
    try {
      sample = await run({ ...planned.spec, folder });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    if (quietest === undefined || noiseOf(sample) < noiseOf(quietest)) quietest = sample;
    if (noiseOf(quietest) <= maxForeignCores) return quietest;
    tell(`  ${planned.id}: others took ${noiseOf(sample).toFixed(2)} of a processor`);
  }
  if (quietest === undefined) throw new Error('No sample was taken.');
  return quietest;
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
