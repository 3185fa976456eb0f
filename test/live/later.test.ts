import { describe, expect, test } from 'vitest';
import type { Append } from '../../src/journal/entry.ts';
import { FollowedRuns } from '../../src/live/follow-runs.ts';
import { Later } from '../../src/live/later.ts';
import type { LiveEvent } from '../../src/run/engine.ts';

function appendAt(firstSeq: number): Append {
  return { firstSeq, epoch: 1, atMs: firstSeq, entries: [{ type: 'timer-fired' }] };
}

const delta: LiveEvent = { kind: 'text-delta', step: 1, attempt: 1, part: 0, text: 'x' };
const progress: LiveEvent = { kind: 'tool-progress', callId: '1.0', attempt: 1, data: 1 };

/** What a follower is told, in words, and the runs whose history was read. */
function following(history: readonly Append[] = []): {
  later: Later;
  told: string[];
  read: string[];
  asked: () => number;
} {
  const told: string[] = [];
  const read: string[] = [];
  let asked = 0;
  const store = {
    read: async (runId: string) => {
      read.push(runId);
      return history;
    },
  };
  const runs = new FollowedRuns<string>(store, {
    begin: (runId) => runId,
    take: (runId, { firstSeq }, nowMs) => told.push(`${runId} ${firstSeq}${nowMs === undefined ? ' before' : ''}`),
    hears: ({ kind }) => kind === 'text-delta',
    said: (runId, { kind }) => told.push(`${runId} ${kind}`),
  });
  const later = new Later(runs, () => (asked += 1));
  return { later, told, read, asked: () => asked };
}

describe('whoever follows runs', () => {
  test('is told later, in order, once, of what was heard first after each append, and asks once to be told', () => {
    const { later, told, read, asked } = following();
    later.accepted('a', appendAt(1));
    later.committed('a', appendAt(2));
    later.told(progress, { runId: 'a' });
    for (let index = 0; index < 3; index += 1) later.told(delta, { runId: 'a' });
    later.committed('a', appendAt(3));
    later.told(delta, { runId: 'a' });
    expect(told).toEqual([]);
    expect(asked()).toBe(1);
    later.tell();
    expect(told).toEqual(['a 1 before', 'a 2', 'a text-delta', 'a 3', 'a text-delta']);
    later.tell();
    expect(told).toHaveLength(5);
    expect(read).toEqual([]);
  });

  test('is told when too much waits', () => {
    const { later, told } = following();
    later.accepted('a', appendAt(1));
    for (let seq = 2; seq <= 1_000; seq += 1) later.committed('a', appendAt(seq));
    expect(told.length).toBeGreaterThan(700);
    later.tell();
    expect(told).toHaveLength(1_000);
  });

  test('gets the history of a run that was there before, without being asked', async () => {
    const { later, told, read } = following([appendAt(1), appendAt(2), appendAt(3)]);
    later.committed('a', appendAt(3));
    expect(read).toEqual(['a']);
    later.committed('a', appendAt(4));
    await later.tellAll();
    later.rested('a');
    expect(told).toEqual(['a 1 before', 'a 2 before', 'a 3', 'a 4']);
    // Taken up again after a rest: what was told before is history now.
    later.committed('a', appendAt(3));
    await later.tellAll();
    expect(told.slice(4)).toEqual(['a 1 before', 'a 2 before', 'a 3']);
  });
});
