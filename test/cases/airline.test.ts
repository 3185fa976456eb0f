import { describe, expect, it } from 'vitest';
import { runKilled, runUnkilled } from './airline/in-process.ts';
import { type Recording, readRecordings } from './airline/recording.ts';

const recordings = readRecordings();

function recordingOf(wanted: string): Recording {
  const found = recordings.find(({ id }) => id === wanted);
  if (found === undefined) throw new Error(`There is no recording ${wanted}.`);
  return found;
}

describe('a recorded trajectory of an airline desk', () => {
  it.each(recordings)(
    '$id runs as it was recorded: conversation, calls, writes, changed records',
    async (recording) => {
      expect(await runUnkilled(recording)).toMatchObject({ problems: [], duplicates: 0, repeatedReads: 0 });
    },
  );

  it('is one of 21, with 242 calls, 44 of them successful writes', () => {
    const calls = recordings.flatMap((recording) => recording.calls);
    const writes = recordings.flatMap(({ expected }) => expected.successfulWrites);
    expect([recordings.length, calls.length, writes.length]).toEqual([21, 242, 44]);
  });
});

describe('the judge of recorded trajectories', () => {
  it('finds a call that the recording lacks: the desk refuses it', async () => {
    const whole = recordingOf('T02');
    const { problems } = await runUnkilled({
      ...whole,
      calls: whole.calls.filter(({ name }) => name !== 'cancel_reservation'),
    });
    expect(problems).toContainEqual(expect.stringMatching(/has no \(further\) call cancel_reservation/u));
  });

  it('finds a model that is shown something else than was recorded', async () => {
    const whole = recordingOf('T02');
    const calls = whole.calls.map((call) => (call.id === 'call_1' ? { ...call, content: '{}' } : call));
    const { problems } = await runUnkilled({ ...whole, calls });
    expect(problems).toContainEqual(expect.stringMatching(/was shown what the recording does not have/u));
  });

  it('finds a write that ran twice, when verify lies and says that it did not happen: the customer was paid back twice', async () => {
    const outcomes = await allDeaths(recordingOf('T08'), () => undefined);
    const doubled = outcomes.filter(({ duplicates }) => duplicates > 0);
    expect(doubled.length).toBeGreaterThan(0);
    for (const { problems } of doubled) {
      expect(problems).toContainEqual(expect.stringMatching(/^hash of the difference/u));
    }
  });

  it('finds a write that never ran, when verify lies and says that it happened', async () => {
    const whole = recordingOf('T33');
    const [write] = whole.calls.filter(({ name }) => name === 'send_certificate');
    const outcomes = await allDeaths(whole, () => write?.content);
    expect(outcomes.flatMap(({ problems }) => problems)).toContainEqual(
      expect.stringMatching(/^writes: found \[\], recorded/u),
    );
  });
});

/** Every death of a recording, with a false witness. */
async function allDeaths(
  recording: Recording,
  witness: () => string | undefined,
): Promise<readonly Awaited<ReturnType<typeof runKilled>>[]> {
  const { appends } = await runUnkilled(recording);
  const deaths = Array.from({ length: appends }, (_, index) => index + 1);
  return Promise.all(
    deaths.flatMap((at) => (['before', 'after'] as const).map((side) => runKilled(recording, { at, side }, witness))),
  );
}
