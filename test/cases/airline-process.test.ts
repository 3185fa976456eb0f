import { describe, expect, it } from 'vitest';
import { killPointNames, processSample, runKilledProcess } from './airline/killed-process.ts';
import { readRecordings } from './airline/recording.ts';

const sample = readRecordings().filter(({ id }) => processSample.has(id));

describe('a recorded trajectory on SQLite whose process is really killed', () => {
  describe.each(killPointNames)('where %s', (point) => {
    it.each(sample)(
      '$id goes on in a new process, comes out as recorded, and does nothing twice',
      async (recording) => {
        expect(await runKilledProcess(recording, point)).toMatchObject({ problems: [], duplicates: 0 });
      },
    );
  });
});
