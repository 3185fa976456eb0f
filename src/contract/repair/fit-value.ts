/** Repairs of a single value, guided by the kinds and values that its schema admits. Each answers with the value itself when nothing is certain. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { exactNumberOf, type OddNumber } from './lenient-number.ts';
import { LenientReader } from './lenient-reader.ts';
import { RepairLog } from './repair-log.ts';
import type { RepairRule } from './rules.ts';
import { type JsonKind, kindOf, listedValues } from '../schema/schema-view.ts';
import { TextCursor, TextFault } from './text-cursor.ts';

export interface Fitted {
  readonly value: JsonValue;
  readonly rule: RepairRule;
}

/** What a text becomes where no text is admitted: the boolean, number, array or object that it spells exactly. */
export function fitText(text: string, admitted: ReadonlySet<JsonKind>): Fitted | undefined {
  if (admitted.has('string')) return undefined;
  if (admitted.has('boolean') && /^(?:true|false)$/i.test(text)) {
    return { value: text.toLowerCase() === 'true', rule: 'string-to-boolean' };
  }
  if (admitted.has('integer')) {
    const number = exactNumberOf(text);
    if (number !== undefined && (admitted.has('number') || Number.isInteger(number))) {
      return { value: number, rule: 'string-to-number' };
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

/** The listed value that differs from the text in case only, when there is exactly one. */
export function fitListed(text: string, schema: JsonObject): Fitted | undefined {
  const listed = listedValues(schema);
  if (listed === undefined || listed.includes(text)) return undefined;
  const alike = listed.filter((value) => typeof value === 'string' && value.toLowerCase() === text.toLowerCase());
  const [only] = alike;
  return alike.length === 1 && only !== undefined ? { value: only, rule: 'enum-case' } : undefined;
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
