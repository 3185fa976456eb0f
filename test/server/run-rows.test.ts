/** What a list says that a run came to, against the trace of the same run, which counts in another way. */
import { assert, expect, test } from 'vitest';
import { lastSeqOf, type Append } from '../../src/journal/entry.ts';
import { createMemoryStore } from '../../src/axle.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { RunRows } from '../../src/server/read/run-rows.ts';
import type { Span } from '../../src/trace/trace.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import { seededRun, type SeededRunOptions } from '../trace/seeded-run.ts';
import { travelJournal } from '../trace/travel-journal.ts';
import type { RunRowTotals } from '../../src/http.ts';

const shapes = [
  ['of a journey', travelJournal()] as const,
  ...(
    [
      ['that crashes', { seed: 4, spans: 400, crashes: 0.3, failures: 0.4 }],
      ['of many calls a turn', { seed: 3, spans: 1_000, width: 100 }],
      ['that goes on', { seed: 6, spans: 300, isUnfinished: true }],
    ] as const satisfies readonly (readonly [string, SeededRunOptions])[]
  ).map(([name, options]) => [name, seededRun(options)] as const),
].map(([name, appends]) => [name, withCached(appends)] as const);

/** With tokens that the provider had kept, which the journals of tests do not have. */
function withCached(appends: readonly Append[]): readonly Append[] {
  return appends.map((append) => ({
    ...append,
    entries: append.entries.map((entry) =>
      entry.type === 'model-finished' ? { ...entry, usage: { ...entry.usage, cachedInputTokens: 5 } } : entry,
    ),
  }));
}

test.each(shapes)(
  'totals of a run %s are those of its trace, counted whole or append by append',
  async (_, appends) => {
    const { totals, parts } = traceOf(appends);
    const spans = allSpans(parts);
    const models = spans.filter((span) => span.kind === 'model-attempt');
    const expected: RunRowTotals = {
      modelCalls: totals.modelAttempts,
      toolCalls: totals.calls,
      attempts: totals.attempts,
      inputTokens: totals.inputTokens,
      outputTokens: totals.outputTokens,
      cachedInputTokens: models.reduce(
        (sum, { end }) => sum + (end?.status === 'answered' ? (end.usage.cachedInputTokens ?? 0) : 0),
        0,
      ),
      errors:
        models.filter(({ end }) => end?.status === 'failed').length +
        spans.filter((span) => span.kind === 'call' && span.outcome?.status === 'failed').length,
      approvals: totals.approvals,
      doubts: totals.doubts,
    };
    expect((await rowsOf(appends, appends.length)).at(-1)).toEqual(expected);
    const growing = await rowsOf(appends, 1);
    expect(growing).toHaveLength(appends.length);
    expect(growing.at(-1)).toEqual(expected);
  },
);

test('each of the figures is above 0 in one of these runs', async () => {
  const all = await Promise.all(shapes.map(async ([, appends]) => (await rowsOf(appends, appends.length)).at(-1)));
  const seen = all.flatMap((totals = assert.fail()) => Object.entries(totals).filter(([, count]) => Number(count) > 0));
  const names = Object.keys(all[0] ?? {});
  expect(names).toHaveLength(9);
  expect(names.filter((name) => seen.every(([each]) => each !== name))).toEqual([]);
});

/** The totals after every so many appends, told by one list. */
async function rowsOf(appends: readonly Append[], step: number): Promise<readonly (RunRowTotals | undefined)[]> {
  let there: readonly Append[] = [];
  const store = wrapStore(createMemoryStore(), {
    read: async (_runId, { afterSeq = 0, limit = 1_000 } = {}) =>
      there.filter((append) => lastSeqOf(append) > afterSeq).slice(0, limit),
  });
  const rows = new RunRows(store);
  const told: (RunRowTotals | undefined)[] = [];
  for (let count = step; count <= appends.length; count += step) {
    there = appends.slice(0, count);
    const last = there.at(-1);
    if (last === undefined) break;
    const row = await rows.row({
      runId: 'run_1',
      kind: 'agent',
      subject: 'traveller',
      seq: lastSeqOf(last),
      epoch: 1,
      createdAtMs: 0,
      updatedAtMs: 0,
      status: { state: 'active', waitingOn: [], steps: 1 },
      hasPosts: false,
    });
    told.push(row.totals);
  }
  return told;
}

function allSpans(parts: readonly Span[]): readonly Span[] {
  return parts.flatMap((part) => [part, ...('children' in part ? allSpans(part.children) : [])]);
}
