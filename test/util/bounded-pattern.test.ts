import { describe, expect, test } from 'vitest';
import { bindCall } from '../../src/contract/bind.ts';
import { tool } from '../../src/contract/tool.ts';
import { boundedPattern, withinPatternLimit } from '../../src/util/bounded-pattern.ts';

describe('a pattern of a schema', () => {
  test.each(['^(a+)+$', '^(a|a)*$', '(a*)*b', '^(\\w+\\s?)*$', '^(a+)\\1+$'])(
    '%s holds nothing up: it counts as not matching when it does not come to an end (B1)',
    (source) => {
      expect(boundedPattern(source).test(`${'a'.repeat(40)}!`)).toBe(false);
    },
  );

  test('says of other texts what it says (B1)', () => {
    expect(boundedPattern('^(a+)+$').test('aaaa')).toBe(true);
    expect(boundedPattern('^(?:\\d{3}-)+\\d$').test('123-456-7')).toBe(true);
    expect(boundedPattern('^(?:\\d{3}-)+\\d$').test('123-45-7')).toBe(false);
    expect(boundedPattern('^\\p{Lu}').test('É')).toBe(true);
    // No Unicode pattern, and read as older JavaScript reads it.
    expect(boundedPattern('^\\-$').test('-')).toBe(true);
    expect(() => boundedPattern('(')).toThrow(SyntaxError);
  });

  test('is bounded on a long text, where one repetition is enough to be slow (B3)', () => {
    expect(boundedPattern('a*a*a*b').test('a'.repeat(100_000))).toBe(false);
    expect(boundedPattern('\\d+$').test(`${' '.repeat(5_000)}12`)).toBe(true);
  });
});

test('however many texts a value has, ten may run out of time and the others are not tried, until the next value (B2)', () => {
  const pattern = boundedPattern('^(a+)+$');
  const overrun = `${'a'.repeat(40)}!`;
  withinPatternLimit(() => {
    const within = (): boolean => withinPatternLimit(() => pattern.test('aaaa'));
    expect(within()).toBe(true);
    for (let index = 0; index < 40; index += 1) expect(pattern.test(overrun)).toBe(false);
    expect(within()).toBe(false);
  });
  expect(withinPatternLimit(() => pattern.test('aaaa'))).toBe(true);
});

test('arguments for a tool of somebody else are refused in time, whatever its pattern', () => {
  const contract = tool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    input: { type: 'object', properties: { key: { type: 'string', pattern: '^(a+)+$' } }, required: ['key'] },
    execute: () => null,
  });
  const bound = bindCall(
    { toolCallId: 'c', toolName: 'look', argumentsText: JSON.stringify({ key: `${'a'.repeat(60)}!` }) },
    { callId: '1.0', lookup: () => contract, names: ['look'], truncated: false },
  );
  expect(bound).toMatchObject({ kind: 'refused', failure: { code: 'arguments-invalid' } });
});
