import { describe, expect, test } from 'vitest';
import type { Repair } from '../../src/call/call.ts';
import type { Append, ModelFinished } from '../../src/journal/entry.ts';
import { EarlierSpans } from '../../src/otel/earlier-spans.ts';
import { RunSpans } from '../../src/otel/run-spans.ts';
import { spanText } from '../../src/otel/otlp-json.ts';
import { SpanIds } from '../../src/otel/span-id.ts';
import { partSpans, runSpan } from '../../src/otel/spans-of.ts';
import { TraceBuilder } from '../../src/trace/trace-of.ts';
import { seededRandom } from '../kill/random.ts';
import {
  accepted,
  allowed,
  answered,
  asks,
  bound,
  JournalWriter,
  modelStarted,
  noonMs,
  overloaded,
  runId,
  settled,
  started,
  succeeded,
} from '../trace/journal-writer.ts';
import { seededRun, type SeededRunOptions } from '../trace/seeded-run.ts';

/** What ends with each append, by the trace alone. */
function byTrace(appends: readonly Append[]): readonly (readonly string[])[] {
  const builder = new TraceBuilder();
  const given = new Set<string>();
  return appends.map((append) => {
    const texts: string[] = [];
    const changed = builder.take(append);
    const run = { head: builder.head, parts: builder.parts, ids: new SpanIds(runId) };
    for (const index of changed) {
      const part = run.parts[index];
      for (const [id, span] of part === undefined ? [] : partSpans(run, part)) {
        if (!given.has(id)) texts.push(spanText(span));
        given.add(id);
      }
    }
    if (append.entries.some(({ type }) => type === 'run-finished')) texts.push(spanText(runSpan(run)));
    return texts.toSorted();
  });
}

function byRunSpans(appends: readonly Append[], spans = new RunSpans(runId)): readonly (readonly string[])[] {
  return appends.map((append) => {
    const sink = new EarlierSpans();
    spans.take(append, sink);
    return sink.take(-Infinity).toSorted();
  });
}

/** The same run in fewer appends: what a driver commits at once. */
function joined(appends: readonly Append[], random: () => number): readonly Append[] {
  const all: Append[] = [];
  for (const append of appends) {
    const last = all.at(-1);
    if (last === undefined || last.epoch !== append.epoch || random() < 0.5) all.push(append);
    else all[all.length - 1] = { ...last, atMs: append.atMs, entries: [...last.entries, ...append.entries] };
  }
  return all;
}

const shapes: readonly (readonly [string, Omit<SeededRunOptions, 'seed'>])[] = [
  ['usual', { spans: 300, crashes: 0, failures: 0 }],
  ['with a failure here and there', { spans: 600 }],
  ['wide', { spans: 1_000, width: 40, failures: 0.02 }],
  ['crashed', { spans: 600, crashes: 0.1, failures: 0.2 }],
  ['hostile and unfinished', { spans: 300, isHostile: true, isUnfinished: true }],
];

describe('the spans of a run, append by append, are those of its trace', () => {
  test.each(shapes)('%s', (_, options) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const appends = seededRun({ ...options, seed });
      expect(byRunSpans(appends)).toEqual(byTrace(appends));
      const fewer = joined(appends, seededRandom(seed));
      expect(byRunSpans(fewer)).toEqual(byTrace(fewer));
    }
  });

  test.each<readonly [string, readonly Turn[]]>([
    [
      'a tool with limits, without a wait and with one',
      [turn({ waitedMs: 0 }), turn({ waitedMs: 0 }), turn({ waitedMs: 9 }), turn()],
    ],
    [
      'a repaired call, one in a sandbox, one by another rule',
      [turn({ isRepaired: true }), turn({ sandbox: 'docker' }), turn({ rule: 'mine' })],
    ],
    [
      'tokens that are known or not, and another model that answers',
      [turn(), turn(cheap), turn(cheap), turn(other), turn()],
    ],
    ['a model call that fails at first', [failing, turn(), failing]],
    ['a model call, and a call, that a crash cuts off', [turn(), crashed, turn(), cut, turn()]],
    ['a result that comes after its call was settled', [late, turn()]],
  ])('%s', (_, turns) => {
    const journal = new JournalWriter().at(0, accepted('Plan the journey.'));
    turns.forEach((say, place) => say(journal, place + 1));
    const appends = journal.appends();
    const texts = byRunSpans(appends);
    expect(texts).toEqual(byTrace(appends));
    expect(texts.flat().length).toBeGreaterThan(3);
  });

  test('nothing is kept of turns that went as most do', () => {
    const follower = new RunSpans(runId);
    const journal = new JournalWriter().at(0, accepted('Plan the journey.'));
    for (let step = 1; step <= 500; step += 1) turn()(journal, step);
    expect(byRunSpans(journal.appends(), follower).flat()).toHaveLength(1_500);
    expect(follower.kept).toBe(0);
  });
});

/** Writes one step of a run. */
type Turn = (journal: JournalWriter, step: number) => void;

interface TurnOptions {
  readonly waitedMs?: number;
  readonly isRepaired?: boolean;
  readonly sandbox?: string;
  readonly rule?: string;
  readonly answer?: Partial<ModelFinished>;
}

const repair: Repair = { rule: 'string-to-number', path: '/n', before: '"1"', after: '1' };
const cheap: TurnOptions = { answer: { usage: { inputTokens: 100, cachedInputTokens: 90 } } };
const other: TurnOptions = { answer: { usage: {}, respondedAs: 'model "two"' } };

function answerOf(step: number): ModelFinished {
  return answered(asks(`t${step}.0`, 'get_weather', '{}'));
}

/** The entries of a turn as a driver commits them: with the next request in the append of the last result. */
function turn({ waitedMs, isRepaired, sandbox, rule = 'default', answer }: TurnOptions = {}): Turn {
  return (journal, step) => {
    const callId = `${step}.0`;
    const atMs = step * 1_000;
    const attempted = { ...succeeded(callId, 'sunny'), ...(sandbox === undefined ? {} : { sandbox }) };
    journal.at(atMs, modelStarted(step, step * 2 - 1));
    journal.at(
      atMs + 10,
      { ...answerOf(step), ...answer },
      bound(callId, 'get_weather', {}, isRepaired === true ? [repair] : []),
      { type: 'call-decided', callId, decision: { kind: 'allow', rule } },
      ...(waitedMs === undefined
        ? []
        : [{ type: 'call-admitted', callId, attempt: 1, upstream: 'weather', waitedMs } as const]),
      started(callId),
    );
    journal.at(atMs + 20, attempted, settled(callId));
  };
}

function failing(journal: JournalWriter, step: number): void {
  const atMs = step * 1_000;
  journal.at(atMs, modelStarted(step, 1));
  journal.at(atMs + 1, { type: 'model-failed', failure: overloaded, tookMs: 1, retryAtMs: noonMs + atMs + 5 });
  journal.at(atMs + 6, modelStarted(step, 1, 2));
  journal.at(
    atMs + 7,
    answerOf(step),
    bound(`${step}.0`, 'get_weather', {}),
    allowed(`${step}.0`),
    started(`${step}.0`),
  );
  journal.at(atMs + 8, succeeded(`${step}.0`, 'sunny'), settled(`${step}.0`));
}

function crashed(journal: JournalWriter, step: number): void {
  const atMs = step * 1_000;
  journal
    .at(atMs, modelStarted(step, 1))
    .claimed(atMs + 5)
    .at(atMs + 6, modelStarted(step, 1, 2));
  journal.at(
    atMs + 7,
    answerOf(step),
    bound(`${step}.0`, 'get_weather', {}),
    allowed(`${step}.0`),
    started(`${step}.0`),
  );
  journal.at(atMs + 8, succeeded(`${step}.0`, 'sunny'), settled(`${step}.0`));
}

function cut(journal: JournalWriter, step: number): void {
  const atMs = step * 1_000;
  journal.at(atMs, modelStarted(step, 1));
  journal.at(
    atMs + 7,
    answerOf(step),
    bound(`${step}.0`, 'get_weather', {}),
    allowed(`${step}.0`),
    started(`${step}.0`),
  );
  journal.claimed(atMs + 8).at(atMs + 9, started(`${step}.0`, 2));
  journal.at(atMs + 10, succeeded(`${step}.0`, 'sunny', 2), settled(`${step}.0`));
}

function late(journal: JournalWriter, step: number): void {
  turn()(journal, step);
  const result = { status: 'succeeded', output: 'late' } as const;
  journal.at(step * 1_000 + 30, { type: 'evidence-received', callId: `${step}.0`, attempt: 1, result });
}
