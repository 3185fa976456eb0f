/**
 * Dates and times as models write them, where they can mean one day and one instant.
 *
 * D1 Which of two numbers is the day is never guessed: 29/11/2026 has one reading, 03/04/2026 has two and stays as it is.
 * D2 Nothing is added that is not in the text: no year, no century, no time of day, no time zone.
 * D3 What contradicts itself, as a Monday that was a Sunday, or is no day of the calendar, stays as it is.
 */

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const weekdayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Longer texts are no dates, and are not looked at. */
const maxLength = 60;
const isoDay = /^\d{4}-\d{2}-\d{2}$/;
const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const yearLast = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/;
/** Of eight digits the first four can only be a year of these centuries: read from the other end, they would be a day and a month 19 or 20. */
const digitsOnly = /^((?:19|20)\d{2})(\d{2})(\d{2})$/;
const midnight = /^(\d{4}-\d{2}-\d{2})T00:00(?::00(?:\.0+)?)?Z?$/i;
const weekdayBefore = /^([a-z]+)\.?,?\s+(?=\S)/i;
const dayMonthYear = /^(\d{1,2})(?:st|nd|rd|th)?[.\s-]\s*(?:of\s+)?([a-z]+)\.?,?[\s-]\s*(\d{4})$/i;
const monthDayYear = /^([a-z]+)\.?[\s-](\d{1,2})(?:st|nd|rd|th)?,?[\s-]\s*(\d{4})$/i;
const yearMonthDay = /^(\d{4})[\s-]([a-z]+)\.?[\s-](\d{1,2})$/i;

/** The day as RFC 3339 has it (`2026-11-29`), when the text is another form of exactly one day. */
export function isoDateOf(text: string): string | undefined {
  if (text.length > maxLength || isoDay.test(text)) return undefined;
  const days = readings(text.trim()).filter(isDay).map(isoText);
  return new Set(days).size === 1 ? days[0] : undefined;
}

/** All days that the text may mean, those of no calendar among them. */
function readings(text: string): readonly Day[] {
  const first = yearFirst.exec(text) ?? digitsOnly.exec(text);
  if (first !== null) return [dayOf(first[1], first[first.length - 2], first[first.length - 1])];
  const last = yearLast.exec(text);
  if (last !== null) return [dayOf(last[4], last[1], last[3]), dayOf(last[4], last[3], last[1])];
  const zeros = midnight.exec(text);
  if (zeros !== null) return readings(zeros[1] ?? '');
  const inWords = wordsOf(text);
  if (inWords.length > 0) return inWords;
  const weekday = weekdayNames.findIndex((name) => isName(weekdayBefore.exec(text)?.[1], name));
  if (weekday === -1) return [];
  return wordsOf(text.replace(weekdayBefore, '')).filter((day) => weekdayOf(day) === weekday);
}

function wordsOf(text: string): readonly Day[] {
  const british = dayMonthYear.exec(text);
  if (british !== null) return [dayOf(british[3], monthOf(british[2]), british[1])];
  const american = monthDayYear.exec(text);
  if (american !== null) return [dayOf(american[3], monthOf(american[1]), american[2])];
  const sorted = yearMonthDay.exec(text);
  return sorted === null ? [] : [dayOf(sorted[1], monthOf(sorted[2]), sorted[3])];
}

function dayOf(year: string | undefined, month: string | number | undefined, day: string | undefined): Day {
  return { year: Number(year), month: Number(month), day: Number(day) };
}

/** The number of a month, 0 for a word that names none. */
function monthOf(word: string | undefined): number {
  return monthNames.findIndex((name) => isName(word, name)) + 1;
}

/** The whole name, or its first letters as it is usually cut. */
function isName(word: string | undefined, name: string): boolean {
  const written = word?.toLowerCase();
  return written === name || written === name.slice(0, 3) || (written === 'sept' && name === 'september');
}

function isDay({ year, month, day }: Day): boolean {
  return year >= 1000 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** 0 for a Sunday, by Sakamoto's rule. */
function weekdayOf({ year, month, day }: Day): number {
  const shifted = month < 3 ? year - 1 : year;
  const offset = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1] ?? 0;
  const leaps = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return (shifted + leaps + offset + day) % 7;
}

function isoText({ year, month, day }: Day): string {
  return `${year}-${twoDigits(month)}-${twoDigits(day)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

const timeAfter =
  /^(?<date>.*?)[T\s,]+(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?<fraction>\.\d+)?)?\s*(?<half>[ap]m)?\s*(?<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})$/i;
const digitsTime = /^(?<date>\d{8})T(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})(?<zone>Z)$/i;
const isoInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** The instant as RFC 3339 has it (`2026-11-29T14:30:00Z`), when the text is another form of exactly one, its time zone included. */
export function isoDateTimeOf(text: string): string | undefined {
  if (text.length > maxLength || isoInstant.test(text)) return undefined;
  const {
    date,
    hour,
    minute,
    second = '00',
    fraction = '',
    half,
    zone,
  } = (timeAfter.exec(text.trim()) ?? digitsTime.exec(text.trim()))?.groups ?? {};
  if (date === undefined || zone === undefined) return undefined;
  const day = isoDay.test(date) && isDay(dayOf(...splitDay(date))) ? date : isoDateOf(date);
  const hours = hourOf(Number(hour), half?.toLowerCase());
  if (day === undefined || hours === undefined || Number(minute) > 59 || Number(second) > 59) return undefined;
  return `${day}T${twoDigits(hours)}:${minute}:${second}${fraction}${zoneText(zone)}`;
}

function splitDay(date: string): [string | undefined, string | undefined, string | undefined] {
  const [year, month, day] = date.split('-');
  return [year, month, day];
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour <= 23 ? hour : undefined;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half === 'pm' ? 12 : 0);
}

function zoneText(zone: string): string {
  return /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z';
}
