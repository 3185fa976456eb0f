import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isRecord } from '../../src/util/json.ts';
import type { Measurement, TurnsSpec } from '../../bench/sample-spec.ts';
import { sampleTurns } from '../../bench/turns-sample.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axle-bench-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** One measurement of a few short runs: enough to count, too little to time. */
async function sample(spec: Pick<TurnsSpec, 'subject'> & Partial<TurnsSpec>): Promise<Measurement['values']> {
  const [measurement] = await sampleTurns({
    kind: 'turns',
    loads: [{ turns: 5, runs: 2 }],
    effect: 'read',
    durability: 'effects',
    leastMs: 0,
    warmUpMs: 0,
    settleMs: 0,
    folder,
    ...spec,
  });
  if (measurement === undefined) throw new Error('Nothing was measured.');
  return measurement.values;
}

describe('what the bench counts', () => {
  test('the floor commits twice a turn and once for the answer, shared by runs that move together', async () => {
    const values = await sample({ subject: 'floor' });
    expect(values).toMatchObject({ runs: 2, turns: 10, commits: 11 });
    expect(values['bytes']).toBeGreaterThan(1_024);
  });

  test('a read turn of Axle is one append, or two, and no sync; its run adds two syncs at most', async () => {
    const values = await sample({ subject: 'axle', loads: [{ turns: 5, runs: 1 }] });
    expect(values).toMatchObject({ runs: 1, turns: 5, syncs: 2 });
    // Accepted, the first question, two for the first turn and for one in which more than a millisecond passes, one for each other, and the answer with the end.
    expect(values['appends']).toBeGreaterThanOrEqual(2 + 2 + 4 + 1);
    expect(values['appends']).toBeLessThanOrEqual(2 + 2 * 5 + 1);
  });

  test('a turn of Axle with an effect is at most two syncs', async () => {
    const values = await sample({ subject: 'axle', effect: 'write', loads: [{ turns: 5, runs: 1 }] });
    expect(values['syncs']).toBeGreaterThanOrEqual(5 + 2);
    expect(values['syncs']).toBeLessThanOrEqual(2 * 5 + 2);
  });
});

test('a traced run is the same run, and all of its spans are sent', async () => {
  for (const subject of ['axle-traced', 'axle-followed'] as const) {
    const values = await sample({ subject, loads: [{ turns: 5, runs: 2 }] });
    expect(values).toMatchObject({ runs: 2, turns: 10, dropped: 0 });
    // For each turn a model call, a call and its attempt; the answer, and the run.
    expect(values['sent']).toBe(2 * (3 * 5 + 2));
  }
});

test('the bench prints one object in which every figure has a name of its own, and judges no time by small sizes', async () => {
  const { stdout } = await run(
    '--quick',
    '--no-peers',
    '--json',
    '--only',
    'turns',
    '--only',
    'young',
    '--only',
    'resume',
  );
  const report: unknown = JSON.parse(stdout);
  expect(report).toMatchObject({ rounds: 1, quick: true });
  const figures = isRecord(report) && Array.isArray(report['figures']) ? report['figures'].filter(isRecord) : [];
  expect(figures.length).toBeGreaterThan(10);
  expect(new Set(figures.map((figure) => figure['name'])).size).toBe(figures.length);
  for (const figure of figures) {
    expect(Object.keys(figure)).toEqual(expect.arrayContaining(['name', 'value', 'unit', 'bar', 'ok']));
    if (figure['unit'] === 'us') expect(figure['ok']).toBeNull();
  }
});

test('an unknown case is a mistake in usage that names the cases', async () => {
  const { code, stderr } = await run('--only', 'everything');
  expect(code).toBe(2);
  expect(stderr).toContain(
    'There is no case everything; there are turns, young, runs, disk, resume, suspended, seen, traced.',
  );
});

function run(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const main = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...words], { timeout: 20_000 }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}
