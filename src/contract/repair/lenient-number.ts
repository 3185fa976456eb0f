/** Numbers as models write them. A number that JavaScript would change is kept as its text until the schema says whether that is what was wanted. */
import type { TextCursor } from './text-cursor.ts';

/** A number whose spelling matters beyond its value. */
export interface OddNumber {
  /** The number as the model wrote it. */
  readonly text: string;
  /**
   * `inexact`: JavaScript would change it (beyond 2^53, or infinite). `leading-zero`: may be a number or a code. Of both the text stands in
   * the place of the value, until the schema has decided. `spelled`: an ordinary number, written otherwise than JavaScript would.
   */
  readonly kind: 'inexact' | 'leading-zero' | 'spelled';
}

export type LenientNumber =
  | { readonly value: number; readonly odd?: OddNumber }
  | { readonly value: string; readonly odd: OddNumber };

const numberLike = /[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const operatorHere = /\s*(?:[*+%^(<>=!&|?-]|\/(?![/*])|\*\*)/y;
/** After a number `//` may divide, and only a remark of several words cannot. */
const divisionHere = /\s*\/\/(?!\s*[A-Za-z]+,?\s+[A-Za-z])/y;

/** Reads the number that begins here. */
export function readLenientNumber(cursor: TextCursor, path: string): LenientNumber {
  cursor.take(/[+.-]+$/y);
  const text = cursor.take(numberLike);
  if (text === undefined) throw cursor.fault('arguments-unreadable', 'a value must stand here');
  // At the end of the text, what is there of a number need not be all of it.
  cursor.take(/[\w.+-]*$/y);
  if (cursor.ended) throw cursor.fault('arguments-truncated', 'the number may go on');
  if (cursor.look(operatorHere) !== undefined || cursor.look(divisionHere) !== undefined) {
    throw cursor.fault('arguments-unreadable', 'expressions are not computed; send the number itself');
  }
  if (!/[\s,\]}/]/.test(cursor.char)) {
    throw cursor.fault('arguments-unreadable', `${text} is followed by something that is no part of a number`);
  }
  if (/^[+-]?0\d/.test(text)) return { value: text, odd: { text, kind: 'leading-zero' } };
  const value = Number(
    text.startsWith('+') ? text.slice(1) : text.startsWith('-0x') || text.startsWith('-0X') ? Number.NaN : text,
  );
  if (Number.isNaN(value)) throw cursor.fault('arguments-unreadable', `${text} is not a number that can be read`);
  const rule = text.endsWith('.') ? 'trailing-point' : 'number-form';
  if (!cursor.log.permits(rule)) {
    throw cursor.fault('arguments-unreadable', `${text} ends with its point; send the number with its digits`);
  }
  if (!jsonNumber.test(text)) cursor.log.add(rule, path, { before: text, after: value });
  if (!isExact(text, value)) return { value: text, odd: { text, kind: 'inexact' } };
  return String(value) === text ? { value } : { value, odd: { text, kind: 'spelled' } };
}

/** Whether the value is what the digits say, as far as whole numbers go; decimal fractions are approximations for everyone. */
export function isExact(text: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return true;
  // With an exponent only the digits before it were meant, and fifteen of them are kept.
  return /^[+-]?[\d.]{1,16}[eE]/.test(text);
}

/** The number that a whole text is, in JSON's own spelling and without loss; undefined for anything else. */
export function exactNumberOf(text: string): number | undefined {
  if (!jsonNumber.test(text)) return undefined;
  const value = Number(text);
  const digits = text.replace(/[eE].*$/, '').replace(/^-?0*\.?0*|[.-]/g, '');
  return isExact(text, value) && digits.length <= 15 + (Number.isSafeInteger(value) ? 1 : 0) ? value : undefined;
}
