/** Repairs of a single value, guided by the kinds and values that its schema admits. Each answers with the value itself when nothing is certain. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { editDistance } from '../near-miss.ts';
import { exactNumberOf, type OddNumber } from './lenient-number.ts';
import { LenientReader } from './lenient-reader.ts';
import { RepairLog } from './repair-log.ts';
import type { RepairRule } from './rules.ts';
import { type JsonKind, kindOf, listedValues } from '../schema/schema-view.ts';
import { numberWithUnit } from './unit-text.ts';
import { TextCursor, TextFault } from './text-cursor.ts';

/** Listed values, and characters of one, that are compared letter by letter. */
const maxListed = 200;
const maxListedLength = 60;

export interface Fitted {
  readonly value: JsonValue;
  readonly rule: RepairRule;
}

/** What a text becomes where no text is admitted: the boolean, number, array or object that it spells exactly. `name` is that of its parameter. */
export function fitText(text: string, admitted: ReadonlySet<JsonKind>, name: string): Fitted | undefined {
  if (admitted.has('string')) return undefined;
  if (admitted.has('boolean') && /^(?:true|false)$/i.test(text)) {
    return { value: text.toLowerCase() === 'true', rule: 'string-to-boolean' };
  }
  if (admitted.has('integer')) {
    const plain = exactNumberOf(text);
    const number = plain ?? numberWithUnit(text, name);
    if (number !== undefined && (admitted.has('number') || Number.isInteger(number))) {
      return { value: number, rule: plain === undefined ? 'number-with-unit' : 'string-to-number' };
    }
  }
  if (admitted.has('array') && /^\s*\[/.test(text)) return structureIn(text, 'array');
  if (admitted.has('object') && /^\s*\{/.test(text)) return structureIn(text, 'object');
  return undefined;
}

/** The structure that a text holds, read with the repairs that are certain enough for a side effect. */
function structureIn(text: string, kind: 'array' | 'object'): Fitted | undefined {
  const cursor = new TextCursor(text, new RepairLog(true));
  const reader = new LenientReader(cursor);
  try {
    const value = reader.readValue('');
    cursor.skipSpace('');
    const whole =
      cursor.ended && kindOf(value) === kind && [...reader.oddNumbers.values()].every((odd) => odd.kind === 'spelled');
    return whole ? { value, rule: kind === 'array' ? 'string-to-array' : 'string-to-object' } : undefined;
  } catch (error) {
    if (error instanceof TextFault) return undefined;
    throw error;
  }
}

/** What a number becomes where only a text is admitted: its digits as they were written. */
export function fitNumber(
  value: number,
  odd: OddNumber | undefined,
  admitted: ReadonlySet<JsonKind>,
): Fitted | undefined {
  if (!admitted.has('string') || admitted.has('integer') || admitted.has('number')) return undefined;
  return { value: odd?.text ?? String(value), rule: 'number-to-string' };
}

/** The listed value that the text can be meant for, when there is exactly one: in other case, in another spelling, with one letter wrong. */
export function fitListed(text: string, schema: JsonObject): Fitted | undefined {
  const listed = listedValues(schema);
  if (listed === undefined || listed.includes(text)) return undefined;
  const values = listed.filter((value) => typeof value === 'string');
  const inOtherCase = values.filter((value) => value.toLowerCase() === text.toLowerCase());
  const [only] = inOtherCase;
  if (only !== undefined) return inOtherCase.length === 1 ? { value: only, rule: 'enum-case' } : undefined;
  const spelling = spellingOf(text);
  const alike = values.filter((value) => spellingOf(value) === spelling);
  const [same] = alike;
  if (same !== undefined) return alike.length === 1 ? { value: same, rule: 'enum-spelling' } : undefined;
  const meant = oneLetterFrom(spelling, values);
  return meant === undefined ? undefined : { value: meant, rule: 'enum-typo' };
}

/** Without case and separators. Between digits a separator has a meaning: 1.5 is not 15. */
function spellingOf(text: string): string {
  return text.replace(/(?<=[^\s_.-])[\s_.-]+(?=[^\s\d_.-])|(?<=[^\s\d_.-])[\s_.-]+(?=\d)/g, '').toLowerCase();
}

/** The one value from which the text differs by one letter, behind the first: what is added in front turns words into their opposite. */
function oneLetterFrom(spelling: string, values: readonly string[]): string | undefined {
  if (spelling.length < 5 || spelling.length > maxListedLength || values.length > maxListed) return undefined;
  const near = values.filter((value) => editDistance(spelling, spellingOf(value)) <= 2);
  const [only] = near;
  if (only === undefined || near.length > 1) return undefined;
  const meant = spellingOf(only);
  const isSlip = editDistance(spelling, meant) === 1 && spelling[0] === meant[0] && restOf(spelling) === restOf(meant);
  return isSlip ? only : undefined;
}

/** Everything but letters: a wrong digit is another value, and no slip. */
function restOf(text: string): string {
  return text.replace(/\p{L}/gu, '');
}

/** Whether two schemas' worth of alternatives can be told apart by a member with a fixed value. */
export function contradicts(value: JsonObject, schema: JsonObject): boolean {
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return false;
  return Object.entries(properties).some(([key, property]) => {
    if (!isJsonObject(property) || !Object.hasOwn(value, key)) return false;
    const listed = listedValues(property);
    const given = value[key];
    if (listed === undefined || given === undefined) return false;
    return !listed.some(
      (each) =>
        each === given ||
        (typeof each === 'string' && typeof given === 'string' && each.toLowerCase() === given.toLowerCase()),
    );
  });
}
