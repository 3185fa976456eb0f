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

  test('is known by its brand, also from another copy of the package', () => {
    const foreign = Object.assign(new Error('no'), { name: 'ToolError', [Symbol.for('axle.tool-error')]: true });
    expect([new ToolError({ message: 'no' }), foreign].map(isToolError)).toEqual([true, true]);
    const lookalike = Object.assign(new Error('no'), { name: 'ToolError' });
    expect([lookalike, new Error('no'), { name: 'ToolError' }, null, 'no'].map(isToolError)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
