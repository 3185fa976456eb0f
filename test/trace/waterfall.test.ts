import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/call/outcome.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { columnsOf } from '../../src/trace/safe-text.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
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
  noonMs,
  overloaded,
  started,
  succeeded,
  settled,
} from './journal-writer.ts';
import { travelJournal } from './travel-journal.ts';

const travel = traceOf(travelJournal());
const timeText = (atMs: number): string => new Date(atMs).toISOString();

describe('the waterfall', () => {
  test('of a run with a retry, a repair, a wait for approval, a kill gap and a doubt settled by verify looks like this', () => {
    expectGolden('travel', renderWaterfall(travel, { width: 110, timeText }));
  });

  test('of the same run in plain ASCII and 80 columns looks like this', () => {
    const text = renderWaterfall(travel, { width: 80, ascii: true });
    expectGolden('travel-ascii', text);
    const bars = text.split('\n').filter((line) => /^\s+\+/u.test(line));
    expect(bars.length).toBeGreaterThan(10);
    for (const bar of bars) expect(bar.replaceAll('…', '')).toMatch(/^[\x20-\x7e]*$/u);
  });

  test('says how many of its tools a model was shown, when it was not all', () => {
    const shown: Entry = {
      type: 'model-started',
      step: 1,
      attempt: 1,
      items: 1,
      contextHash: 'context-1',
      tools: ['find_tools', 'get_weather'],
    };
    const journal = new JournalWriter()
      .at(0, accepted('Look up the weather.'), shown)
      .at(900, answered(asks('t1.0', 'get_weather', '{}')))
      .appends();
    expect(renderWaterfall(traceOf(journal), { width: 110 })).toContain(
      'saw 1 item, was shown 2 of its tools, 800 tokens in',
    );
  });

  test('shows a wait for an upstream, an admission, a refusal and what a breaker does (T4, T6)', () => {
    const upstream = 'weather';
    const admitted = { type: 'call-admitted', callId: '1.0', upstream } as const;
    const changed = { type: 'breaker-changed', callId: '1.0', upstream } as const;
    const journal = new JournalWriter()
      .at(0, accepted('Look up the weather.'), modelStarted(1, 1))
      .at(900, answered(asks('t1.0', 'get_weather', '{"city":"Oslo"}')))
      .at(901, bound('1.0', 'get_weather', { city: 'Oslo' }), allowed('1.0'))
      .at(1_701, { ...admitted, attempt: 1, waitedMs: 800 }, started('1.0'))
      .at(
        2_201,
        failedAttempt('1.0', overloaded),
        { ...changed, from: 'closed', to: 'open', reason: '5 calls in a row failed', untilMs: noonMs + 5_201 },
        { type: 'retry-scheduled', callId: '1.0', attempt: 2, dueAtMs: noonMs + 3_201 },
      )
      .at(
        3_201,
        { type: 'timer-fired' },
        {
          type: 'admission-refused',
          callId: '1.0',
          attempt: 2,
          upstream,
          waitedMs: 0,
          failure: {
            code: 'upstream-open',
            class: 'retryable',
            message: 'The breaker of weather is open: 5 calls in a row failed.',
            evidence: 'none',
            retryAfterMs: 2_000,
          },
        },
        { type: 'retry-scheduled', callId: '1.0', attempt: 2, dueAtMs: noonMs + 5_201 },
      )
      .at(
        5_201,
        { type: 'timer-fired' },
        { ...changed, from: 'open', to: 'half-open', reason: 'the time it was open for is over' },
        { ...admitted, attempt: 2, waitedMs: 0, probe: true },
        started('1.0', 2),
      )
      .at(
        5_601,
        succeeded('1.0', { celsius: 4 }, 2),
        { ...changed, from: 'half-open', to: 'closed', reason: 'the upstream answered the call that tried' },
        settled('1.0'),
      )
      .appends();
    expectGolden('upstreams', renderWaterfall(traceOf(journal), { width: 110 }));
  });

  test('shows what a person was asked to authorise, where, and what became of it (T7)', () => {
    const refused: Failure = {
      code: 'authorization-required',
      class: 'fatal',
      message: 'The token has expired.',
      evidence: 'none',
      authorize: { upstream: 'crm', url: 'https://crm.example.com/login' },
    };
    const about = { callId: '1.0', upstream: 'crm' } as const;
    const hourMs = 3_600_000;
    const request = (attempt: number): Entry => ({
      type: 'authorization-requested',
      ...about,
      authorizationId: `run_1/1.0!${attempt}`,
      expiresAtMs: noonMs + 24 * hourMs,
    });
    const failure: Failure = {
      code: 'authorization-denied',
      class: 'recoverable',
      message: 'A person did not authorise crm (not today). It had refused the call: The token has expired.',
      evidence: 'none',
    };
    const outcome = { status: 'failed', failure, effectMayHaveHappened: false } as const;
    const failed: Entry = { type: 'call-settled', callId: '1.0', status: 'failed', outcome };
    const answer = { type: 'authorization-answered', callId: '1.0', by: 'anna' } as const;
    const journal = new JournalWriter()
      .at(0, accepted('Look up the weather.'), modelStarted(1, 1))
      .at(900, answered(asks('t1.0', 'get_weather', '{"city":"Oslo"}')))
      .at(901, bound('1.0', 'get_weather', { city: 'Oslo' }), allowed('1.0'), started('1.0'))
      .at(1_100, failedAttempt('1.0', refused), request(1))
      .at(2 * hourMs, { ...answer, authorizationId: 'run_1/1.0!1', granted: true }, started('1.0', 2))
      .at(2 * hourMs + 200, failedAttempt('1.0', refused, 2), request(2))
      .at(3 * hourMs, { ...answer, authorizationId: 'run_1/1.0!2', granted: false, note: 'not today' }, failed)
      .appends();
    expectGolden('authorization', renderWaterfall(traceOf(journal), { width: 110 }));
    expect(renderWaterfall(traceOf(journal.slice(0, 4)), { width: 110 })).toContain('open until +1 d');
  });

  test('in brief has the same rows, with the reason of a failure behind its bar, and nothing below them', () => {
    const isRow = (line: string): boolean => /^\s+\+/u.test(line);
    const whole = renderWaterfall(travel).split('\n');
    const brief = renderWaterfall(travel, { brief: true }).split('\n');
    const reason = / upstream-unavailable: The weather.*$/u;
    expect(brief.filter(isRow).filter((line) => reason.test(line))).toHaveLength(1);
    expect(brief.filter(isRow).map((line) => line.replace(reason, ''))).toEqual(whole.filter(isRow));
    expect(brief.filter((line) => !isRow(line))).toEqual(
      whole.filter((line) => !isRow(line) && !line.startsWith(' '.repeat(29))),
    );
  });

  test('of a run that is killed at its approval says what is still open', () => {
    expectGolden('travel-open', renderWaterfall(traceOf(travelJournal().slice(0, 9)), { width: 100 }));
  });

  test('has no colours unless they are asked for, and the same words with them', () => {
    const plain = renderWaterfall(travel);
    const coloured = renderWaterfall(travel, { colours: true });
    expect(plain).not.toContain('\u{1b}');
    expect(coloured).toContain('\u{1b}[');
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });

  test.each([60, 80, 110, 200])('keeps every line within %i columns', (width) => {
    for (const brief of [false, true]) {
      const lines = renderWaterfall(travel, { width, brief }).split('\n');
      // The totals stand on one line, so that they can be found by a search.
      expect(lines.slice(0, -4).filter((line) => columnsOf(line) > width)).toEqual([]);
    }
  });

  test('prints nothing that could steer the terminal, whatever model and tools write', () => {
    const evil = 'a\u{1b}[2J\u{9b}31m\r\n\u{202e}txt\u{2066}\u{200b}\u{7}\u{e0041}\u{2028}\ud800z';
    const journal = new JournalWriter()
      .at(0, accepted(evil), modelStarted(1, 1))
      .at(
        5,
        answered({ kind: 'text', text: evil }, { kind: 'reasoning', text: evil }, asks('t1.0', 'get_weather', evil)),
      )
      .at(
        6,
        bound('1.0', 'get_weather', { [evil]: evil }, [{ rule: evil, path: evil, before: evil, after: evil }]),
        allowed('1.0'),
        started('1.0'),
      )
      .at(7, succeeded('1.0', evil), settled('1.0'))
      .at(8, { type: 'message-received', text: evil }, { type: 'cancel-requested', reason: evil, by: evil })
      .at(9, { type: 'run-finished', ending: 'cancelled', output: evil })
      .appends();
    const text = renderWaterfall(traceOf(journal));
    expect(text).toContain('\\u{1b}[2J');
    expect(text.replaceAll('\n', '')).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u);
  });

  test('of a long run shows its beginning and its end, and says how much it leaves out', () => {
    const writer = new JournalWriter().at(0, accepted('go on'));
    for (let step = 1; step <= 300; step += 1) {
      writer
        .at(step * 20, modelStarted(step, step * 2 - 1))
        .at(step * 20 + 5, answered(asks(`t${step}.0`, 'get_weather', '{}')));
      writer
        .at(step * 20 + 6, bound(`${step}.0`, 'get_weather', {}), allowed(`${step}.0`), started(`${step}.0`))
        .at(step * 20 + 9, succeeded(`${step}.0`, 1), settled(`${step}.0`));
    }
    const text = renderWaterfall(traceOf(writer.appends()));
    expect(text).toContain('model 1 ');
    expect(text).toContain('model 300');
    expect(text).not.toContain('model 150 ');
    expect(text).toContain('200 rows left out');
  });
});
