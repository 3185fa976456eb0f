/** The run that the golden waterfalls show: a retry, a repair, a wait for approval, a kill gap, a doubt settled by `verify`. */
import type { Append } from '../../src/journal/entry.ts';
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

export function travelJournal(): readonly Append[] {
  const hourMs = 3_600_000;
  return new JournalWriter()
    .at(0, accepted('Look up the weather in 北京 tomorrow and mail me what to wear.'))
    .at(2, modelStarted(1, 1))
    .at(1_202, answered(asks('t1.0', 'get_weather', '{"city":"Beijing","days":"1"}')))
    .at(
      1_203,
      bound('1.0', 'get_weather', { city: 'Beijing', days: 1 }, [
        { rule: 'string-to-number', path: '/days', before: '1', after: 1 },
      ]),
      allowed('1.0'),
      started('1.0'),
    )
    .at(1_323, failedAttempt('1.0', overloaded), {
      type: 'retry-scheduled',
      callId: '1.0',
      attempt: 2,
      dueAtMs: noonMs + 3_323,
    })
    .at(3_323, { type: 'timer-fired' }, started('1.0', 2))
    .at(3_733, succeeded('1.0', { celsius: -4, sky: 'snow' }, 2), settled('1.0'), modelStarted(2, 3))
    .at(
      5_233,
      answered(
        { kind: 'text', text: 'It will snow; I send the memo.' },
        asks('t2.0', 'send_mail', '{"to":"ann@example.org","text":"Wear a coat."}'),
      ),
    )
    .at(5_234, bound('2.0', 'send_mail', { to: 'ann@example.org', text: 'Wear a coat.' }), asked('2.0', 24 * hourMs))
    .claimed(5_234 + 2 * hourMs)
    .at(
      5_240 + 2 * hourMs,
      {
        type: 'approval-answered',
        approvalId: `${runId}/2.0`,
        callId: '2.0',
        argsHash: 'args-2.0',
        verdict: 'approve',
        by: 'ann',
        note: 'go on',
      },
      started('2.0'),
    )
    .claimed(9_740 + 2 * hourMs, 'worker_c')
    .at(9_741 + 2 * hourMs, {
      type: 'call-doubted',
      callId: '2.0',
      attempt: 1,
      reason: 'crash',
      verifyAtMs: noonMs + 15_240 + 2 * hourMs,
    })
    .at(15_240 + 2 * hourMs, { type: 'timer-fired' }, { type: 'verify-started', callId: '2.0', round: 1 })
    .at(
      15_440 + 2 * hourMs,
      {
        type: 'verify-finished',
        callId: '2.0',
        round: 1,
        verdict: { kind: 'happened', output: { messageId: '<1@mail>' } },
        tookMs: 200,
      },
      {
        type: 'call-resolved',
        callId: '2.0',
        verdict: { kind: 'happened', output: { messageId: '<1@mail>' } },
        by: 'verify',
      },
      settled('2.0'),
      modelStarted(3, 5),
    )
    .at(16_340 + 2 * hourMs, answered({ kind: 'text', text: 'Done: wear a coat, it will snow.' }))
    .at(16_341 + 2 * hourMs, { type: 'run-finished', ending: 'completed', output: 'Done: wear a coat, it will snow.' })
    .appends();
}
