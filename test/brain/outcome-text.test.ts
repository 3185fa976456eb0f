import { describe, expect, test } from 'vitest';
import { describeOutcome, type OutcomeText } from '../../src/brain/outcome-text.ts';
import type { Failure, Outcome } from '../../src/call/outcome.ts';

const failure: Failure = {
  code: 'tool-timed-out',
  class: 'retryable',
  message: 'send_email did not answer within 20 s.',
  advice: 'Ask for less.',
  evidence: 'unknown',
};

function textOf(described: OutcomeText): string {
  return described.kind === 'data' ? JSON.stringify(described.value) : described.text;
}

describe('the words for an outcome', () => {
  test.each<[string, Outcome, OutcomeText]>([
    ['data stays data', { status: 'succeeded', output: { a: 1 } }, { kind: 'data', value: { a: 1 } }],
    ['an empty list stays data', { status: 'succeeded', output: [] }, { kind: 'data', value: [] }],
    ['false stays data', { status: 'succeeded', output: false }, { kind: 'data', value: false }],
    ['a text stays a text', { status: 'succeeded', output: 'done' }, { kind: 'text', text: 'done' }],
    [
      'a text without what means nothing in it (O3)',
      { status: 'succeeded', output: '\ufeffh\u0000i\u0000' },
      { kind: 'text', text: 'hi' },
    ],
    [
      'nothing is said to be nothing',
      { status: 'succeeded', output: null },
      { kind: 'text', text: 'The call succeeded and returned nothing.' },
    ],
    [
      'an empty text is said to be empty',
      { status: 'succeeded', output: '\n' },
      { kind: 'text', text: 'The call succeeded and returned an empty text.' },
    ],
  ])('%s', (_, outcome, expected) => {
    expect(describeOutcome(outcome)).toEqual(expected);
  });

  test('a failure names its code, its message, the advice and what became of the effect', () => {
    expect(describeOutcome({ status: 'failed', failure, effectMayHaveHappened: true })).toEqual({
      kind: 'error',
      text: [
        'The call failed (tool-timed-out): send_email did not answer within 20 s.',
        'What to do: Ask for less.',
        'Its effect may have happened nevertheless: check before you send it again.',
      ].join('\n'),
    });
    expect(textOf(describeOutcome({ status: 'failed', failure, effectMayHaveHappened: false }))).toContain(
      'It changed nothing.',
    );
  });

  test('a denial tells the model not to ask again, an expiry that nobody answered', () => {
    expect(describeOutcome({ status: 'denied', reason: 'too expensive', code: 'call-denied' })).toEqual({
      kind: 'denied',
      text: 'The call was denied, so it was not made. Reason: too expensive. Do not send the same call again: choose another way or tell the user.',
    });
    expect(textOf(describeOutcome({ status: 'denied', reason: '', code: 'approval-expired' }))).toBe(
      'Nobody approved the call in time, so it was not made. Tell the user; ask again only if they want it.',
    );
  });

  test('a call in doubt is never said to have failed', () => {
    const words = textOf(describeOutcome({ status: 'in-doubt', reason: 'the process ended' }));
    expect(words).toContain('not known whether this call took effect');
    expect(words).toContain('Do not send it again');
    expect(words).not.toContain('failed');
  });

  test('a cancelled call changed nothing', () => {
    expect(textOf(describeOutcome({ status: 'cancelled', reason: 'the user left' }))).toBe(
      'The call was cancelled and changed nothing. Reason: the user left.',
    );
  });

  test('a very long message is cut without leaving half a character', () => {
    const long = { ...failure, message: '\u{1F600}'.repeat(10_000) };
    const words = textOf(describeOutcome({ status: 'failed', failure: long, effectMayHaveHappened: false }));
    expect(words.length).toBeLessThan(5_000);
    expect(words.isWellFormed()).toBe(true);
    expect(words).toContain('characters left out');
  });
});
