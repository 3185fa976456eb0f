import { expect, test } from 'vitest';
import { ProgressText } from '../../src/cli/progress-text.ts';
import type { Entry } from '../../src/journal/entry.ts';

const retry: Entry = { type: 'retry-scheduled', callId: '1.0', attempt: 2, dueAtMs: 10_000 };
const taken = (worker: string): Entry => ({ type: 'run-claimed', worker });

test('a run that goes on after a long back-off is no news, and one that another driver takes is', () => {
  const progress = new ProgressText(() => 0, { label: '' });
  const lines = [taken('a'), retry, taken('a'), retry, taken('b'), taken('b')].map((entry) => progress.line(entry));
  const news = 'a driver has taken the run';
  const waits = 'call 1.0 waits 10.0 s before attempt 2';
  expect(lines).toEqual([news, waits, undefined, waits, news, news]);
});

test('a back-off that is over, or has no length, is not called a wait', () => {
  const progress = new ProgressText(() => 10_000, { label: '' });
  expect(progress.line(retry)).toBe('call 1.0 is tried again: attempt 2');
});
