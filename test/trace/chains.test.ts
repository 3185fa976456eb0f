import { expect, test } from 'vitest';
import { traceOf } from '../../src/trace/trace-of.ts';
import { withUndone } from '../../src/trace/undone.ts';
import { renderWaterfall } from '../../src/trace/waterfall.ts';
import { expectGolden } from './golden.ts';
import {
  accepted,
  allowed,
  answered,
  asks,
  bound,
  failedAttempt,
  JournalWriter,
  modelStarted,
  overloaded,
  started,
  succeeded,
} from './journal-writer.ts';

const drifted = {
  missing: ['/id'],
  unexpected: ['/ids'],
  changed: [{ path: '/size', declared: 'integer', came: 'string' }],
  shape: '0123456789abcdef',
  raw: { ids: ['f1'], size: '12' },
  rawHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  rawLength: 26,
};

/** A file service that is down and stood in for, a kept result, an answer that drifted, and a mail that was taken back. */
const journal = new JournalWriter()
  .at(0, accepted('Mail me the weather.'))
  .at(1, modelStarted(1, 1))
  .at(
    801,
    answered(
      asks('t1.0', 'get_weather', '{"city":"Oslo"}'),
      asks('t1.1', 'put_file', '{"name":"a"}'),
      asks('t1.2', 'send_mail', '{"to":"ada"}'),
    ),
    bound('1.0', 'get_weather', { city: 'Oslo' }),
    allowed('1.0'),
    {
      type: 'call-cached',
      callId: '1.0',
      output: { celsius: 4 },
      from: { runId: 'run_0', callId: '2.1' },
      ageMs: 90_000,
    },
    bound('1.1', 'put_file', { name: 'a' }),
    allowed('1.1'),
    started('1.1'),
  )
  .at(1_101, failedAttempt('1.1', { ...overloaded, message: 'The file service answered 503.' }), {
    type: 'call-fell-back',
    callId: '1.1',
    link: 2,
    call: { callId: '1.1', toolCallId: 't1.1', tool: 'send_mail', input: { attachment: 'a' } },
    skipped: [{ tool: 'put_disk', reason: 'It is not registered here.' }],
  })
  .at(1_102, allowed('1.1'), started('1.1', 2))
  .at(
    1_402,
    succeeded('1.1', { mailId: 'm1' }, 2),
    {
      type: 'call-settled',
      callId: '1.1',
      status: 'succeeded',
      outcome: { status: 'succeeded', output: { stored: 'm1' } },
    },
    bound('1.2', 'send_mail', { to: 'ada' }),
    allowed('1.2'),
    started('1.2'),
  )
  .at(
    1_602,
    {
      type: 'attempt-finished',
      callId: '1.2',
      attempt: 1,
      tookMs: 200,
      result: {
        status: 'failed',
        failure: {
          code: 'output-invalid',
          class: 'recoverable',
          evidence: 'possible',
          message: 'send_mail answered in another form than version 1 of it declares: /id is missing.',
        },
        drift: drifted,
      },
    },
    settledAsFailed(),
  )
  .at(1_603, modelStarted(2, 3))
  .at(2_003, answered({ kind: 'text', text: 'Done.' }), {
    type: 'run-finished',
    ending: 'completed',
    output: 'Done.',
  });

function settledAsFailed() {
  return {
    type: 'call-settled',
    callId: '1.2',
    status: 'failed',
    outcome: {
      status: 'failed',
      effectMayHaveHappened: true,
      failure: {
        code: 'output-invalid',
        class: 'recoverable',
        evidence: 'possible',
        message: 'send_mail answered in another form than version 1 of it declares: /id is missing.',
      },
    },
  } as const;
}

test('the waterfall shows a kept result, a stand-in with its reasons, an answer that drifted, and what was taken back (T5, T16, T18, T20)', () => {
  const trace = withUndone(traceOf(journal.appends()), [{ runId: 'run_9', callIds: ['1.1'] }]);
  expectGolden('chains', renderWaterfall(trace, { width: 120 }));
  expect(trace.totals).toMatchObject({ calls: 3, attempts: 3, cached: 1 });
});

test('a call that nobody took back is not said to be', () => {
  const trace = traceOf(journal.appends());
  expect(withUndone(trace, [{ runId: 'run_9', callIds: [] }])).toBe(trace);
});
