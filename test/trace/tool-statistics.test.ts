import { array, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';
import type { Append } from '../../src/journal/entry.ts';
import { toolSamplesOf, type ToolSample, toolStatisticsOf } from '../../src/trace/tool-statistics.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import {
  accepted,
  allowed,
  answered,
  asks,
  bound,
  failedAttempt,
  JournalWriter,
  modelStarted,
  noonMs,
  overloaded,
  runId,
  settled,
  started,
  succeeded,
} from './journal-writer.ts';
import { travelJournal } from './travel-journal.ts';

const sampled = (appends: readonly Append[], run = runId): readonly ToolSample[] =>
  toolSamplesOf(run, traceOf(appends).parts);

/** A run that asks for the weather once; its attempt takes `tookMs` and ends as said. */
function oneCall(tookMs: number, ends: 'well' | 'badly' | 'not at all'): readonly Append[] {
  const repair = { rule: 'string-to-number', path: `/days/${tookMs}/night`, before: '1', after: 1 };
  const writer = new JournalWriter()
    .at(0, accepted('do it'))
    .at(1, modelStarted(1, 1))
    .at(10, answered(asks('t1.0', 'get_weather', '{"a": "1"}')))
    .at(20, bound('1.0', 'get_weather', { a: 1 }, [repair]), allowed('1.0'), started('1.0'));
  if (ends === 'well') writer.at(20 + tookMs, succeeded('1.0', 'snow'), settled('1.0'));
  if (ends === 'badly') {
    const failure = { ...overloaded, class: 'fatal' } as const;
    writer.at(20 + tookMs, failedAttempt('1.0', failure), {
      type: 'call-settled',
      callId: '1.0',
      status: 'failed',
      outcome: { status: 'failed', failure, effectMayHaveHappened: false },
    });
  }
  return writer.appends();
}

test('percentiles are figures that were measured, by nearest rank, whatever order they came in', () => {
  const samples = Array.from({ length: 100 }, (_, index) => sampled(oneCall(((index * 37) % 100) + 1, 'well'))).flat();
  const [weather] = toolStatisticsOf(samples);
  expect(weather).toMatchObject({ tool: 'get_weather', calls: 100, succeeded: 100, errorRate: 0, attemptsPerCall: 1 });
  expect(weather?.attemptMs).toEqual({ count: 100, p50: 50, p95: 95, p99: 99, most: 100 });
});

test('what is under way has no length and no error rate; a rate is of calls that came to an end', () => {
  const [open] = toolStatisticsOf(sampled(oneCall(5, 'not at all')));
  expect(open).toMatchObject({ calls: 1, attempts: 1, succeeded: 0, failed: 0, attemptsPerCall: 1 });
  expect(open).not.toHaveProperty('errorRate');
  expect(open).not.toHaveProperty('attemptMs');
  const [mixed] = toolStatisticsOf([
    ...sampled(oneCall(5, 'not at all')),
    ...sampled(oneCall(7, 'badly'), 'run_bad'),
    ...[1, 2, 3].flatMap((tookMs) => sampled(oneCall(tookMs, 'well'))),
  ]);
  expect(mixed).toMatchObject({ calls: 5, failed: 1, errorRate: 0.25 });
  const { code, message } = overloaded;
  expect(mixed?.errors).toEqual([{ runId: 'run_bad', callId: '1.0', atMs: noonMs + 27, code, message }]);
});

test('repairs of the items of a list are one place', () => {
  const [weather] = toolStatisticsOf([1, 2, 3].flatMap((tookMs) => sampled(oneCall(tookMs, 'well'))));
  expect(weather).toMatchObject({ repaired: 3, repairRate: 1 });
  expect(weather?.repairs).toEqual([{ rule: 'string-to-number', path: '/days/*/night', count: 3 }]);
});

test('every attempt and every intent of a journal is counted once', () => {
  const trace = traceOf(travelJournal());
  const calls = trace.parts.filter((part) => part.kind === 'call');
  const all = toolStatisticsOf(sampled(travelJournal()));
  const sum = (field: 'calls' | 'refused' | 'recorded' | 'attempts'): number =>
    all.reduce((total, each) => total + each[field], 0);
  expect(sum('calls') + sum('refused') + sum('recorded')).toBe(calls.length);
  expect(sum('attempts')).toBe(trace.totals.attempts);
  expect(sum('attempts')).toBeGreaterThan(0);
});

test('counts do not depend on how runs are dealt out', () => {
  assert(
    property(array(constantFrom('well', 'badly', 'not at all'), { minLength: 1, maxLength: 30 }), (ends) => {
      const samples = ends.map((end, place) => sampled(oneCall(place + 1, end))).flat();
      const [weather] = toolStatisticsOf(samples);
      const [turned] = toolStatisticsOf(samples.toReversed());
      expect(turned).toEqual(weather);
      expect(weather).toMatchObject({
        calls: ends.length,
        succeeded: ends.filter((end) => end === 'well').length,
        failed: ends.filter((end) => end === 'badly').length,
      });
    }),
  );
});

test('a model that asks for ever other names fills no memory', () => {
  const names = Array.from({ length: 1_000 }, (_, place) => `tool_${place}`);
  const parts = traceOf(oneCall(3, 'well')).parts.flatMap((part) =>
    part.kind === 'call' ? names.map((tool) => ({ ...part, tool })) : [],
  );
  expect(toolSamplesOf(runId, parts)).toHaveLength(200);
});
