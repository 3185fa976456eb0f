import { describe, expect, test } from 'vitest';
import { isToolError, ToolError } from '../../src/contract/tool-error.ts';

describe('an error of a tool', () => {
  test('promises nothing that it does not say', () => {
    expect(new ToolError({ message: 'no' })).toMatchObject({
      message: 'no',
      code: 'tool-failed',
      class: 'recoverable',
      effect: 'possible',
    });
  });

  test('is worth another try when nothing was sent, or when a time was named, unless it says otherwise', () => {
    expect(new ToolError({ message: 'no', effect: 'none' }).class).toBe('retryable');
    expect(new ToolError({ message: 'no', retryAfterMs: 0 }).class).toBe('retryable');
    expect(new ToolError({ message: 'no', effect: 'none', class: 'recoverable' }).class).toBe('recoverable');
  });

  test('keeps its cause', () => {
    const cause = new Error('socket closed');
    expect(new ToolError({ message: 'no', cause }).cause).toBe(cause);
  });

  test.each([Number.NaN, -1, Infinity])('is told to wait for no time at all by %s', (retryAfterMs) => {
    expect(new ToolError({ message: 'no', retryAfterMs })).toMatchObject({
      retryAfterMs: undefined,
      class: 'recoverable',
    });
  });

  test('is known by its brand, also from another copy of the package and under another name', () => {
    class CardError extends ToolError {}
    const renamed = Object.assign(new CardError({ message: 'no' }), { name: 'CardError' });
    const brand = { [Symbol.for('axle.tool-error')]: true };
    const facts = { code: 'tool-failed', class: 'recoverable', effect: 'possible' };
    const foreign = Object.assign(new Error('no'), brand, facts);
    expect([new ToolError({ message: 'no' }), renamed, foreign].map(isToolError)).toEqual([true, true, true]);
    const lookalike = Object.assign(new Error('no'), { name: 'ToolError' });
    expect([lookalike, new Error('no'), { name: 'ToolError' }, null, 'no'].map(isToolError)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  test.each([{ effect: 'nothing' }, { class: 'hopeless' }, { code: 5 }, { advice: 5 }, { retryAfterMs: Number.NaN }])(
    'that says of itself %o is not believed',
    (fact) => {
      expect(isToolError(Object.assign(new ToolError({ message: 'no', effect: 'none' }), fact))).toBe(false);
    },
  );
});
