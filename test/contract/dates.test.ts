import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoDateOf, isoDateTimeOf } from '../../src/contract/repair/date-text.ts';
import { outcomeOf, toolOf } from './bind-text.ts';

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const two = (number: number): string => String(number).padStart(2, '0');

/** Every day from 1900 to 2099, as the calendar of the platform has them. */
const someDay = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => ({
    iso: date.toISOString().slice(0, 10),
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    name: months[date.getUTCMonth()] ?? '',
    weekday: weekdays[date.getUTCDay()] ?? '',
    wrongWeekday: weekdays[(date.getUTCDay() + 1) % 7] ?? '',
  }));

describe('dates in other forms', () => {
  test('of exactly one day become that day', () => {
    fc.assert(
      fc.property(someDay, ({ iso, year, month, day, name, weekday }) => {
        const forms = [
          `${year}/${month}/${day}`,
          `${year}.${two(month)}.${two(day)}`,
          `${year}${two(month)}${two(day)}`,
          `${day} ${name} ${year}`,
          `${day}. ${name.slice(0, 3)} ${year}`,
          `${name} ${day}, ${year}`,
          `${name.slice(0, 3)}-${day}-${year}`,
          `${weekday}, ${day} ${name} ${year}`,
          `${weekday.slice(0, 3)} ${name} ${day}, ${year}`,
        ];
        expect(forms.map(isoDateOf)).toEqual(forms.map(() => iso));
      }),
    );
  });

  test('that can be read as two days, or contradict themselves, are left alone', () => {
    fc.assert(
      fc.property(someDay, ({ iso, year, month, day, name, wrongWeekday }) => {
        const numbers = `${day}/${month}/${year}`;
        const hasOneReading = day > 12 || day === month;
        expect(isoDateOf(numbers)).toBe(hasOneReading ? iso : undefined);
        expect(isoDateOf(`${month}-${day}-${year}`)).toBe(hasOneReading ? iso : undefined);
        expect(isoDateOf(`${wrongWeekday}, ${day} ${name} ${year}`)).toBeUndefined();
        expect(isoDateOf(iso)).toBeUndefined();
      }),
    );
  });

  test('never make a day of any other text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\da-z/., :TZ+-]{0,20}$/), (text) => {
        const found = isoDateOf(text);
        // What is found stands in the text: its year, and its day.
        if (found === undefined) return;
        expect(text).toContain(found.slice(0, 4));
        expect(text).toContain(String(Number(found.slice(8))));
        expect(new Date(found).toISOString().slice(0, 10)).toBe(found);
      }),
      { numRuns: 2000 },
    );
  });

  test('with a time and a zone become the same instant', () => {
    const instant = fc.date({ min: new Date('1900-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instant, (date) => {
        const iso = `${date.toISOString().slice(0, 19)}Z`;
        const twelve = `${date.getUTCHours() % 12 === 0 ? 12 : date.getUTCHours() % 12}:${iso.slice(14, 19)}`;
        const half = date.getUTCHours() < 12 ? 'AM' : 'PM';
        const forms = [
          iso.replace('T', ' '),
          `${iso.slice(0, 19)}+0000`,
          date.toUTCString(),
          `${iso.slice(0, 10)} ${twelve} ${half} UTC`,
          iso.replaceAll(/[-:]/g, ''),
        ];
        for (const form of forms) {
          const found = isoDateTimeOf(form);
          expect({ form, at: found === undefined ? undefined : Date.parse(found) }).toEqual({
            form,
            at: Date.parse(iso),
          });
        }
        expect(isoDateTimeOf(iso)).toBeUndefined();
        expect(isoDateTimeOf(iso.slice(0, 19))).toBeUndefined();
      }),
    );
  });

  test('are fitted in lists, objects and the one alternative for texts, and nowhere without a format', () => {
    const date = { type: 'string', format: 'date' };
    const tool = toolOf(
      {
        days: { type: 'array', items: date },
        span: { type: 'object', properties: { from: date, to: { anyOf: [date, { type: 'null' }] } } },
        either: { anyOf: [date, { type: 'string', format: 'date-time' }] },
        plain: { type: 'string' },
        fixed: { type: 'string', format: 'date', enum: ['2026/11/29'] },
      },
      [],
      'write',
    );
    const other = '2026/11/29';
    const input = { days: [other], span: { from: other, to: other }, either: other, plain: other, fixed: other };
    expect(outcomeOf(tool, JSON.stringify(input))).toEqual({
      input: { ...input, days: ['2026-11-29'], span: { from: '2026-11-29', to: '2026-11-29' } },
      rules: ['date-form'],
    });
  });

  test('stay as they are where their schema does not admit the other form', () => {
    const slashes = toolOf({ day: { type: 'string', format: 'date', pattern: '^[0-9/]+$' } }, ['day'], 'write');
    expect(outcomeOf(slashes, '{"day":"2026/11/29"}')).toEqual({ input: { day: '2026/11/29' }, rules: [] });
  });

  test('are left alone when there are more of them than corrections can be recorded', () => {
    const days = Array.from({ length: 150 }, () => '2026/11/29');
    const tool = toolOf({ days: { type: 'array', items: { type: 'string', format: 'date' } } }, ['days']);
    expect(outcomeOf(tool, JSON.stringify({ days }))).toEqual({ input: { days }, rules: [] });
  });
});
