import { describe, expect, test } from 'vitest';
import { entryLines } from '../../src/trace/entry-list.ts';
import type { CallSpan, Span, Trace } from '../../src/trace/trace.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import {
  accepted,
  allowed,
  answered,
  asked,
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

function callOf(trace: Trace, callId: string): CallSpan {
  const call = trace.parts.find((part) => part.kind === 'call' && part.callId === callId);
  if (call?.kind !== 'call') throw new Error(`The trace has no call ${callId}.`);
  return call;
}

function allSpans(spans: readonly Span[]): readonly Span[] {
  return spans.flatMap((span) => ['children' in span ? [span, ...allSpans(span.children)] : [span]].flat());
}

/** A run that has asked for one call and had it allowed; the attempt begins at 20 ms. */
function oneCall(tool: 'get_weather' | 'send_mail'): JournalWriter {
  return new JournalWriter()
    .at(0, accepted('do it'))
    .at(1, modelStarted(1, 1))
    .at(10, answered(asks('t1.0', tool, '{"a": "1"}')))
    .at(20, bound('1.0', tool, { a: 1 }), allowed('1.0'), started('1.0'));
}

describe('a trace', () => {
  test('has for every prefix of a journal spans that begin in order, end after they begin and keep their ids', () => {
    const journal = travelJournal();
    const whole = new Set(allSpans(traceOf(journal).parts).map((span) => span.id));
    for (let length = 0; length <= journal.length; length += 1) {
      const trace = traceOf(journal.slice(0, length));
      const spans = allSpans(trace.parts);
      expect(new Set(spans.map((span) => span.id)).size).toBe(spans.length);
      for (const span of spans) {
        // A wait that is over in the append that began it is left out once that is known.
        if (length === journal.length) expect(whole).toContain(span.id);
        expect(span.endMs ?? trace.lastMs).toBeGreaterThanOrEqual(span.startMs);
        expect(span.seq).toBeLessThanOrEqual(trace.seq);
      }
      expect(trace.parts.map((part) => part.seq)).toEqual(
        trace.parts.map((part) => part.seq).toSorted((a, b) => a - b),
      );
    }
  });

  test('has no open span once the run has ended', () => {
    expect(allSpans(traceOf(travelJournal()).parts).filter((span) => span.endMs === undefined)).toEqual([]);
  });

  test('counts attempts, repairs, waits, doubts and kills', () => {
    expect(traceOf(travelJournal()).totals).toMatchObject({
      steps: 3,
      calls: 2,
      attempts: 3,
      repeats: 1,
      repairs: 1,
      waits: 3,
      approvals: 1,
      denied: 0,
      doubts: 1,
      kills: 1,
      inputTokens: 2_400,
      outputTokens: 120,
      workedMs: 4_330,
    });
  });

  test('keeps what the model wrote beside the input that the call ran with', () => {
    const call = callOf(traceOf(oneCall('get_weather').appends()), '1.0');
    expect(call).toMatchObject({ argumentsText: '{"a": "1"}', input: { a: 1 }, effect: 'read' });
  });

  test('shows a back-off as a wait between two attempts', () => {
    const journal = oneCall('get_weather')
      .at(30, failedAttempt('1.0', overloaded), {
        type: 'retry-scheduled',
        callId: '1.0',
        attempt: 2,
        dueAtMs: noonMs + 2_030,
      })
      .at(2_030, { type: 'timer-fired' }, started('1.0', 2))
      .at(2_040, succeeded('1.0', 'sun', 2), settled('1.0'));
    const call = callOf(traceOf(journal.appends()), '1.0');
    expect(call.children.map((part) => [part.kind, part.startMs - noonMs, (part.endMs ?? 0) - noonMs])).toEqual([
      ['attempt', 20, 30],
      ['wait', 30, 2_030],
      ['attempt', 2_030, 2_040],
    ]);
    expect(call.outcome).toEqual({ status: 'succeeded', output: 'sun' });
  });

  test('calls it a kill gap when a driver is lost at work, and says what was cut off', () => {
    const trace = traceOf(oneCall('get_weather').claimed(900).at(901, started('1.0', 2)).appends());
    expect(trace.parts.find((part) => part.kind === 'gap')).toMatchObject({
      cause: 'driver-changed',
      lost: ['call.1.0#1'],
      startMs: noonMs + 20,
      endMs: noonMs + 900,
      takenByEpoch: 2,
    });
    expect(callOf(trace, '1.0').children[0]).toMatchObject({
      kind: 'attempt',
      endMs: noonMs + 900,
      end: { status: 'lost', lastSeenMs: noonMs + 20 },
    });
    expect(trace.totals).toMatchObject({ kills: 1, attempts: 2, repeats: 1 });
  });

  test('calls a lost model call a kill gap too, and the next attempt belongs to the same step', () => {
    const trace = traceOf(
      new JournalWriter()
        .at(0, accepted('x'))
        .at(1, modelStarted(1, 1))
        .claimed(500)
        .at(500, modelStarted(1, 1, 2))
        .at(600, answered({ kind: 'text', text: 'y' }))
        .appends(),
    );
    expect(trace.totals).toMatchObject({ kills: 1, steps: 1, modelAttempts: 2 });
    const [model] = trace.parts;
    expect(
      model?.kind === 'model'
        ? model.children.map((child) => (child.kind === 'model-attempt' ? child.end?.status : child.kind))
        : [],
    ).toEqual(['lost', 'answered']);
  });

  test('sees no gap where a run rested and another driver took it when it was due', () => {
    const journal = new JournalWriter()
      .at(0, accepted('x'))
      .at(1, modelStarted(1, 1))
      .at(2, answered(asks('t1.0', 'send_mail', '{}')))
      .at(3, bound('1.0', 'send_mail', {}), asked('1.0', 60_000))
      .claimed(9_000);
    const trace = traceOf(journal.appends());
    expect(trace.parts.filter((part) => part.kind === 'gap')).toEqual([]);
    expect(trace.totals).toMatchObject({ kills: 0, waits: 1, approvals: 1 });
  });

  test('tells a driver that stopped between two entries from one that was lost at work', () => {
    const trace = traceOf(oneCall('get_weather').at(40, succeeded('1.0', 1), settled('1.0')).claimed(5_000).appends());
    expect(trace.parts.find((part) => part.kind === 'gap')).toMatchObject({ cause: 'driver-left', lost: [] });
    expect(trace.totals.kills).toBe(0);
  });

  test('keeps a denial with the person and the words, and the call ends there', () => {
    const answer = {
      type: 'approval-answered',
      approvalId: `${runId}/1.0`,
      callId: '1.0',
      argsHash: 'args-1.0',
      verdict: 'deny',
      by: 'bob',
      note: 'too early',
    } as const;
    const journal = new JournalWriter()
      .at(0, accepted('x'))
      .at(1, modelStarted(1, 1))
      .at(2, answered(asks('t1.0', 'send_mail', '{}')))
      .at(3, bound('1.0', 'send_mail', {}), asked('1.0', 60_000))
      .at(700, answer);
    const call = callOf(traceOf(journal.appends()), '1.0');
    expect(call).toMatchObject({
      endMs: noonMs + 700,
      outcome: { status: 'denied', code: 'call-denied', reason: 'A person refused the call: too early' },
    });
    expect(call.children[0]).toMatchObject({
      kind: 'wait',
      on: { kind: 'approval', answer: { verdict: 'deny', by: 'bob', note: 'too early', edited: false } },
    });
  });

  test('shows a doubt that only a person can settle, and a late answer beside it', () => {
    const unsure = { code: 'tool-timed-out', class: 'retryable', message: 'No answer.', evidence: 'unknown' } as const;
    const journal = oneCall('send_mail')
      .at(50, failedAttempt('1.0', unsure), {
        type: 'call-doubted',
        callId: '1.0',
        attempt: 1,
        reason: 'no-answer',
        verifyAtMs: noonMs + 60,
      })
      .at(60, { type: 'timer-fired' }, { type: 'verify-started', callId: '1.0', round: 1 })
      .at(70, { type: 'verify-finished', callId: '1.0', round: 1, verdict: { kind: 'unknown' }, tookMs: 10 })
      .at(80, { type: 'evidence-received', callId: '1.0', attempt: 1, result: { status: 'succeeded', output: 'sent' } })
      .at(
        90,
        { type: 'call-resolved', callId: '1.0', verdict: { kind: 'happened', output: 'sent' }, by: 'person' },
        settled('1.0'),
      );
    const call = callOf(traceOf(journal.appends()), '1.0');
    const doubt = call.children.find((part) => part.kind === 'doubt');
    expect(
      doubt?.kind === 'doubt'
        ? doubt.children.map((child) => (child.kind === 'wait' ? child.on.kind : child.kind))
        : [],
    ).toEqual(['verify', 'verify', 'person']);
    expect(doubt).toMatchObject({ endMs: noonMs + 90, resolution: { by: 'person' } });
    expect(call.children.some((part) => part.kind === 'evidence')).toBe(true);
    expect(call.outcome).toEqual({ status: 'succeeded', output: 'sent' });
  });

  test('shows a wait for a message, and a run that was held for its code', () => {
    const journal = new JournalWriter()
      .at(0, accepted('hello', 'wait'))
      .at(1, modelStarted(1, 1))
      .at(2, answered({ kind: 'text', text: 'hi' }))
      .at(900, { type: 'message-received', text: 'more' }, modelStarted(2, 3))
      .at(950, answered({ kind: 'text', text: 'yes' }))
      .claimed(1_000)
      .at(1_000, { type: 'run-held', reason: 'gone', remedy: 'bring it back' })
      .claimed(2_000)
      .at(2_000, { type: 'run-released' });
    const waits = traceOf(journal.appends()).parts.filter((part) => part.kind === 'wait');
    expect(
      waits.map((wait) => [
        wait.on.kind,
        wait.startMs - noonMs,
        wait.endMs === undefined ? undefined : wait.endMs - noonMs,
      ]),
    ).toEqual([
      ['message', 2, 900],
      ['message', 950, undefined],
      ['code', 1_000, 2_000],
    ]);
  });

  test('passes over entries of calls that it has not seen begin', () => {
    const [, ...rest] = oneCall('get_weather').at(40, succeeded('1.0', 1), settled('1.0')).appends();
    expect(traceOf(rest.slice(3)).parts).toEqual([]);
  });
});

test('the list of entries names every entry and every field of it, on lines that are safe to print', () => {
  const journal = oneCall('get_weather')
    .at(30, failedAttempt('1.0', { ...overloaded, message: 'a\u{1b}[31mb\nc' }))
    .appends();
  const text = entryLines(journal).join('\n');
  const entries = journal.flatMap((append) => append.entries);
  for (const index of entries.keys()) expect(text).toContain(`1.${index + 1}`);
  for (const entry of entries) {
    for (const name of Object.keys(entry).filter((key) => key !== 'type')) expect(text).toContain(`${name}: `);
  }
  expect(text).toContain('a\\u001b[31mb\\nc');
});
