import { expect, test } from 'vitest';
import { canonicalScenarios } from './scenario/canonical.ts';
import { sweep } from './sweep.ts';

const seen = { schedules: 0, crashes: 0, effects: 0, doubts: 0 };

test.each([...canonicalScenarios])(
  '%s keeps every law, whichever one or two operations it is crashed at',
  { timeout: 60_000 },
  async (_, scenario) => {
    const swept = await sweep(scenario);
    expect(swept.broken).toEqual([]);
    expect(swept.singles).toBeGreaterThanOrEqual(20);
    expect(swept.pairs).toBeGreaterThan(swept.singles * 5);
    seen.schedules += swept.singles + swept.pairs;
    seen.crashes += swept.crashes;
    seen.effects += swept.effects;
    seen.doubts += swept.doubts;
  },
);

test('the sweep saw enough of everything to mean something', () => {
  expect(canonicalScenarios.size).toBeGreaterThanOrEqual(12);
  expect(seen.schedules).toBeGreaterThan(10_000);
  expect(seen.crashes).toBeGreaterThan(seen.schedules);
  expect(seen.effects).toBeGreaterThan(10_000);
  expect(seen.doubts).toBeGreaterThan(1_000);
});
