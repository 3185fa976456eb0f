import { expect, test } from 'vitest';
import { nanos } from '../../src/otel/otlp-json.ts';
import { hasUsualDigits, writeAscii, writeNanos, writeWhole } from '../../src/otel/write-text.ts';

const buffer = Buffer.alloc(64);

test.each([0, 9, 10, 99, 100, 1_234_567_890, 2 ** 31, 2 ** 32 + 1, 999_999_999_999_999, Number.MAX_SAFE_INTEGER])(
  'the whole number %d is written as it is said',
  (value) => {
    expect(buffer.toString('latin1', 3, writeWhole(value, buffer, 3))).toBe(String(value));
  },
);

test.each([1_000_000_000_000, 1_796_051_846_399, 1_796_051_846_399.5, 1_796_051_846_399.125, 9_999_999_999_998])(
  'the time %d is written as in a span',
  (atMs) => {
    expect(hasUsualDigits(atMs)).toBe(true);
    writeNanos(atMs, buffer, 2);
    expect(buffer.toString('latin1', 2, 21)).toBe(nanos(atMs));
  },
);

test.each([0, 999_999_999_999.5, 9_999_999_999_999.5, 10_000_000_000_000, Number.NaN])(
  'the time %d has other digits than usual ones',
  (atMs) => {
    expect(hasUsualDigits(atMs)).toBe(false);
  },
);

test('a text of ASCII is written as it is', () => {
  expect(buffer.toString('latin1', 1, writeAscii('12.0', buffer, 1))).toBe('12.0');
});
