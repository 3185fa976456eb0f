/**
 * How long it takes from an open journal to the next step of a run that was killed after many, and what is read for that: in a process that is new and has
 * to compile what it runs, and then in the same one, on copies of the same journal.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '../src/axle.ts';
import { loadRun } from '../src/run/load-run.ts';
import { measure } from './measure.ts';
import { openReader } from './resumed-run.ts';
import type { ResumeSpec, Sample } from './sample-spec.ts';

export async function sampleResume({ turns, folder }: ResumeSpec): Promise<Sample> {
  const path = join(folder, 'killed.db');
  await leaveBehind(path, turns);
  const copies = Array.from({ length: 1 + warmUps + warmResumes }, (_, index) => join(folder, `copy-${index}.db`));
  for (const copy of copies) copyStore(path, copy);

  // Measuring comes first, so that nothing is warm.
  const cold = await resume(path, turns);
  const [toRead = path, ...toResume] = copies;
  const read = await whatIsRead(toRead);
  const again: Resume[] = [];
  for (const copy of toResume) again.push(await resume(copy, turns));
  const warm = again.slice(warmUps);
  return [
    { foreignCores: cold.foreignCores, values: { tookMs: cold.tookMs, ...read } },
    {
      foreignCores: warm.some(({ foreignCores }) => foreignCores === null)
        ? null
        : median(warm.map(({ foreignCores }) => foreignCores ?? 0)),
      values: { tookMs: median(warm.map(({ tookMs }) => tookMs)) },
    },
  ];
}

/** Resumes after which what they run counts as compiled, and those that are measured then. */
const warmUps = 5;
const warmResumes = 5;

interface Resume {
  readonly tookMs: number;
  readonly foreignCores: number | null;
}

async function resume(path: string, turns: number): Promise<Resume> {
  const asked = Promise.withResolvers<number>();
  let openedMs = 0;
  let reader: Awaited<ReturnType<typeof openReader>> | undefined;
  const { foreignCores } = await measure(async () => {
    reader = await openReader(path, {
      turns,
      onOpen: () => void (openedMs = performance.now()),
      onExtraTurn: () => asked.resolve(performance.now()),
    });
    await asked.promise;
  });
  const tookMs = (await asked.promise) - openedMs;
  await reader?.close();
  return { tookMs, foreignCores };
}

function copyStore(from: string, to: string): void {
  for (const suffix of ['', '-wal']) {
    if (existsSync(`${from}${suffix}`)) copyFileSync(`${from}${suffix}`, `${to}${suffix}`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

/** What a resume reads, counted on a copy of the journal as it was left. */
async function whatIsRead(path: string): Promise<Record<string, number>> {
  const store = openSqliteStore(path, { role: 'driver' });
  try {
    const [run] = await store.runs({ limit: 1 });
    const runId = run?.runId ?? '';
    const loaded = await loadRun(store, runId);
    if (loaded === undefined) throw new Error('The run that was left behind is not in its store.');
    return {
      snapshots: (await store.snapshot(runId)) === undefined ? 0 : 1,
      appendsFolded: loaded.appendsSinceSnapshot,
      items: loaded.state.transcript.length,
    };
  } finally {
    await store.close();
  }
}

function leaveBehind(path: string, turns: number): Promise<void> {
  const builder = fileURLToPath(new URL('./resume-builder.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [builder, path, String(turns)], { timeout: 120_000 }, (error, _, stderr) => {
      if (error?.signal === 'SIGKILL' && !error.message.includes('ETIMEDOUT')) resolve();
      else reject(new Error(`The process to be killed ended by itself: ${stderr}`));
    });
  });
}
