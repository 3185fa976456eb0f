import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { plantedBugs } from './bugs.ts';

interface Found {
  readonly name: string;
  readonly problems: readonly string[];
}

test(
  'every bug that is planted in forks is found from outside: a recorded side effect that is repeated, one that nobody allowed, history that is lost',
  { timeout: 400_000 },
  async () => {
    const sound = 'no bug at all';
    const found = await tried([sound, ...plantedBugs.map(({ name }) => name)]);
    expect(found.get(sound)).toEqual([]);
    const missed = plantedBugs.filter(({ name }) => (found.get(name) ?? []).length === 0);
    expect(missed.map(({ name }) => name)).toEqual([]);
    expect(found.get('a recorded write is performed again')?.join()).toContain('outside, after the fork');
    expect(found.size).toBe(plantedBugs.length + 1);
  },
);

/** Node loads the thread itself: bugs are planted as modules are loaded. */
async function tried(bugs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  await new Promise<void>((resolve, reject) => {
    const worker = new Worker(new URL('thread.ts', import.meta.url), { workerData: { bugs } });
    worker.on('message', ({ name, problems }: Found) => found.set(name, problems));
    worker.on('error', reject);
    worker.on('exit', () => resolve());
  });
  return found;
}
