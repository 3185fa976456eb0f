import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Tried } from './planted/again.ts';
import { plantedBugs } from './planted/bugs.ts';
import { readRecording } from './scenario/recording.ts';
import { runSchedule } from './schedule.ts';
import { type Job, runJobs } from './threads.ts';

const folder = new URL('corpus/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
const recordings = names.map((name) => ({
  name,
  file: new URL(name, folder),
  ...readRecording(new URL(name, folder)),
}));

describe('what was once found', () => {
  test.each(recordings)('$name stays put right', async ({ scenario }) => {
    const { violations } = await runSchedule(scenario);
    expect(violations).toEqual([]);
  });

  // A scenario that no longer reaches the place where the code was wrong would pass for ever.
  test('breaks a law again when the bug is put back', { timeout: 240_000 }, async () => {
    const queue = recordings.flatMap((recording) => {
      const bug = plantedBugs.find(
        ({ name }) => name.replace(/^\* /u, '').replaceAll(' ', '-') === recording.name.replace(/\.json$/u, ''),
      );
      return bug === undefined ? [] : [{ ...recording, bug: bug.name }];
    });
    // Some are too rare to be hunted, and are kept only here.
    expect(queue.length).toBeGreaterThanOrEqual(12);
    const broken = new Map<string, readonly string[]>();
    const jobs: Job<Tried>[] = [0, 1].map((lane) => ({
      module: new URL('planted/again.ts', import.meta.url),
      data: {
        toTry: queue
          .filter((_, place) => place % 2 === lane)
          .map(({ bug, file }) => ({ name: bug, file: file.pathname })),
      },
      done: ({ name, laws }) => broken.set(name, laws),
    }));
    await runJobs(jobs.length, () => jobs.shift());
    for (const { name, bug } of queue) {
      expect({ name, broken: (broken.get(bug) ?? []).length > 0 }).toEqual({ name, broken: true });
    }
  });
});
