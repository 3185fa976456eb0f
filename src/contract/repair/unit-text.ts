/**
 * A number with its unit, for a parameter whose own name ends in the same unit: `"30 s"` for `timeout_seconds`. Nothing is converted, and a unit that the
 * name does not say is never dropped.
 */
import { exactNumberOf } from './lenient-number.ts';

/** Words for one unit each. What has several meanings (`in`, `pounds`) has a line of its own or none. */
const units: readonly (readonly string[])[] = [
  ['ms', 'msec', 'msecs', 'millis', 'millisecond', 'milliseconds'],
  ['s', 'sec', 'secs', 'second', 'seconds'],
  ['min', 'mins', 'minute', 'minutes'],
  ['h', 'hr', 'hrs', 'hour', 'hours'],
  ['d', 'day', 'days'],
  ['week', 'weeks'],
  ['month', 'months'],
  ['year', 'years'],
  ['mm', 'millimeter', 'millimeters', 'millimetre', 'millimetres'],
  ['cm', 'centimeter', 'centimeters', 'centimetre', 'centimetres'],
  ['m', 'meter', 'meters', 'metre', 'metres'],
  ['km', 'kilometer', 'kilometers', 'kilometre', 'kilometres'],
  ['mi', 'mile', 'miles'],
  ['ft', 'foot', 'feet'],
  ['inch', 'inches'],
  ['mg', 'milligram', 'milligrams'],
  ['g', 'gram', 'grams'],
  ['kg', 'kilogram', 'kilograms'],
  ['lb', 'lbs'],
  ['pound', 'pounds'],
  ['oz', 'ounce', 'ounces'],
  ['l', 'liter', 'liters', 'litre', 'litres'],
  ['ml', 'milliliter', 'milliliters', 'millilitre', 'millilitres'],
  ['byte', 'bytes'],
  ['kb'],
  ['mb'],
  ['gb'],
  ['tb'],
  ['%', 'percent', 'pct'],
  ['celsius', '°c'],
  ['fahrenheit', '°f'],
  ['kelvin'],
  ['hz'],
  ['khz'],
  ['ghz'],
  ['watt', 'watts'],
  ['kw'],
  ['kwh'],
  ['cent', 'cents'],
  ['usd'],
  ['eur'],
  ['gbp'],
  ['jpy'],
  ['chf'],
  ['cny'],
  ['inr'],
  ['cad'],
  ['aud'],
];
const unitByWord = new Map(units.flatMap((words, unit) => words.map((word) => [word, unit] as const)));

const numberAndUnit = /^\s*(-?\d+(?:\.\d+)?)\s*([a-z°%]+)\s*$/i;
/** Bits, where bytes are usually meant: told apart only by case. */
const bits = /^[KMGT]b$/;
/** Three digits behind the point: in half of the world those are thousands. */
const thousands = /\.\d{3}$/;

/** The number of a text such as `5 kg`, when the name of its parameter ends in the same unit. */
export function numberWithUnit(text: string, name: string): number | undefined {
  const [, digits = '', unit = ''] = numberAndUnit.exec(text) ?? [];
  const known = unitByWord.get(unit.toLowerCase());
  if (known === undefined || bits.test(unit) || thousands.test(digits)) return undefined;
  return unitByWord.get(lastWord(name)) === known ? exactNumberOf(digits) : undefined;
}

/** `ms` for `timeoutMs` and for `timeout_ms`. */
function lastWord(name: string): string {
  return (
    name
      .replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
      .split(/[^A-Za-z%°]+/)
      .at(-1)
      ?.toLowerCase() ?? ''
  );
}
