/** Reads the fields of a declaration (a tool, an agent, the options of an Axle) as somebody wrote them: each is checked, and what is wrong is said with its value. */
import { AxleError } from '../../error/axle-error.ts';
import type { ErrorCode } from '../../error/catalogue.ts';
import { cutText } from '../../util/cut-text.ts';
import { isRecord } from '../../util/json.ts';
import { parseDurationMs } from '../duration.ts';
import { nearMisses } from '../near-miss.ts';

/** The longest text of a contract's field, in UTF-16 code units. */
const maxTextLength = 20_000;

/** The fields of a declaration, or of one of its parts, with the words to speak of them. */
export interface Fields {
  /** Who is spoken of, for example `Tool refund` or `retry of tool refund`. */
  readonly owner: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The code of complaints. @defaultValue 'contract-invalid' */
  readonly code?: ErrorCode;
}

/** A complaint about a field. */
export function invalid(fields: Fields, field: string, wanted: string): AxleError {
  const value = fields.values[field];
  const found = value === undefined ? 'it is missing' : `it is ${shown(value)}`;
  return new AxleError(fields.code ?? 'contract-invalid', `${fields.owner}: ${field} must be ${wanted}; ${found}.`, {
    details: { field },
  });
}

function shown(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) {
    return cutText(JSON.stringify(value), 80);
  }
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** @throws AxleError of the fields' code for a field that is not known, with the one that may have been meant. */
export function refuseUnknown(fields: Fields, known: readonly string[]): void {
  for (const field of Object.keys(fields.values)) {
    if (known.includes(field) || fields.values[field] === undefined) continue;
    const [near] = nearMisses(field, known);
    const hint = near === undefined ? `known fields: ${known.join(', ')}` : `did you mean ${near}?`;
    throw new AxleError(fields.code ?? 'contract-invalid', `${fields.owner}: there is no field ${field}; ${hint}`, {
      details: { field },
    });
  }
}

export function optionalText(fields: Fields, field: string): string | undefined {
  const value = fields.values[field];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.trim() !== '' && value.length <= maxTextLength) return value;
  throw invalid(fields, field, `a text of 1 to ${maxTextLength} characters`);
}

export function requiredText(fields: Fields, field: string): string {
  const text = optionalText(fields, field);
  if (text === undefined) throw invalid(fields, field, `a text of 1 to ${maxTextLength} characters`);
  return text;
}

export function texts(fields: Fields, field: string, maxCount: number): readonly string[] {
  const value: unknown = fields.values[field] ?? [];
  const wanted = `a list of at most ${maxCount} texts`;
  if (!Array.isArray(value) || value.length > maxCount) throw invalid(fields, field, wanted);
  return Object.freeze(
    value.map((item: unknown) => {
      if (typeof item !== 'string' || item.trim() === '' || item.length > 200) throw invalid(fields, field, wanted);
      return item;
    }),
  );
}

export function oneOf<Choice extends string>(
  fields: Fields,
  field: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = fields.values[field];
  if (value === undefined) return undefined;
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw invalid(fields, field, `one of ${choices.join(', ')}`);
  return choice;
}

export function flag(fields: Fields, field: string): boolean {
  const value = fields.values[field];
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw invalid(fields, field, 'true or false');
}

export interface NumberRange {
  readonly from: number;
  readonly to: number;
  readonly whole?: boolean;
}

export function optionalNumber(fields: Fields, field: string, range: NumberRange): number | undefined {
  const value = fields.values[field];
  if (value === undefined) return undefined;
  const fits =
    typeof value === 'number' &&
    value >= range.from &&
    value <= range.to &&
    (range.whole !== true || Number.isInteger(value));
  if (fits) return value;
  throw invalid(fields, field, `a ${range.whole === true ? 'whole ' : ''}number from ${range.from} to ${range.to}`);
}

/** A duration in milliseconds, written as such a number or as a text such as `20s`. */
export function optionalDurationMs(
  fields: Fields,
  field: string,
  range: { readonly fromMs: number; readonly toMs: number },
): number | undefined {
  const value = fields.values[field];
  if (value === undefined) return undefined;
  const durationMs = parseDurationMs(value);
  if (durationMs !== undefined && durationMs >= range.fromMs && durationMs <= range.toMs) return durationMs;
  throw invalid(
    fields,
    field,
    `milliseconds or a text such as '20s', from ${range.fromMs} ms to ${range.toMs / 3_600_000} h`,
  );
}

/** A part of a contract that is an object of its own, such as `retry`; empty when it is not given. */
export function part(fields: Fields, field: string, known: readonly string[]): Fields {
  const value = fields.values[field];
  if (value !== undefined && !isRecord(value)) throw invalid(fields, field, `an object with ${known.join(', ')}`);
  const inner: Fields = { ...fields, owner: `${fields.owner}, ${field}`, values: value ?? {} };
  refuseUnknown(inner, known);
  return inner;
}
