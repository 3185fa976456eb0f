import { describe, expect, it } from 'vitest';
import { killEverywhere } from './airline/kill-everywhere.ts';
import { runUnkilled } from './airline/in-process.ts';
import { readRecordings } from './airline/recording.ts';

// In two files, so that two processors share the work.
const ours = readRecordings().slice(9);

describe('a recorded trajectory whose process dies before and after every append', () => {
  it.each(ours)(
    '$id goes on in a new process, comes out as recorded, and does nothing twice',
    async (recording) => {
      const { appends } = await runUnkilled(recording);
      const { problems, kills, duplicates } = await killEverywhere(recording);
      expect({ problems, kills, duplicates }).toEqual({ problems: [], kills: 2 * appends, duplicates: 0 });
    },
    60_000,
  );
});
