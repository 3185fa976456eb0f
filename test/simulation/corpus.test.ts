import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Again } from './planted/again.ts';
import { plantedBugs } from './planted/bugs.ts';
import { readRecording } from './scenario/recording.ts';
import { runSchedule } from './schedule.ts';
import { runJobs } from './threads.ts';

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
  test('still breaks its law when the bug is put back', { timeout: 60_000 }, async () => {
    const queue = recordings.flatMap((recording) => {
      const bug = plantedBugs.find(
        ({ name }) => name.replace(/^\* /u, '').replaceAll(' ', '-') === recording.name.replace(/\.json$/u, ''),
      );
      return bug === undefined ? [] : [{ ...recording, bug: bug.name }];
    });
    expect(queue.map(({ name }) => name)).toEqual(names);
    const broken = new Map<string, readonly string[]>();
    const due = [...queue];
    await runJobs(2, () => {
      const next = due.shift();
      if (next === undefined) return undefined;
      return {
        module: new URL('planted/again.ts', import.meta.url),
        data: { name: next.bug, file: next.file.pathname },
        done: ({ laws }: Again) => broken.set(next.name, laws),
      };
    });
    for (const { name, law } of queue) {
      expect({ name, laws: broken.get(name) }).toEqual({ name, laws: expect.arrayContaining([law]) });
    }
  });
});
