/** Comparing what ran with what was meant: exactly, as a benchmark does it, or by the words of the text it was read from. */
import { isDeepStrictEqual } from 'node:util';
import { isFields, type Fields } from './fields.ts';

export function isSame(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right);
}

/** Texts without case and punctuation. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Whether every argument is one of those that a benchmark allows; `''` among them means that it may be left out. */
export function isAllowed(input: unknown, allowed: Fields): boolean {
  if (!isFields(input)) return false;
  const given = Object.entries(input).every(([key, value]) => isOneOf(value, allowed[key]));
  return (
    given &&
    Object.entries(allowed).every(
      ([key, options]) => Object.hasOwn(input, key) || (Array.isArray(options) && options.includes('')),
    )
  );
}

function isOneOf(value: unknown, options: unknown): boolean {
  return Array.isArray(options) && options.some((option) => isLike(value, option));
}

function isLike(value: unknown, option: unknown): boolean {
  if (typeof value === 'string' && typeof option === 'string') return plain(value) === plain(option);
  if (Array.isArray(value) && Array.isArray(option)) {
    return value.length === option.length && value.every((item, index) => isLike(item, option[index]));
  }
  if (isFields(value) && isFields(option)) return isAllowed(value, option);
  return value === option;
}

/** Numbers by value, everything else by its letters: `0x1F` is 31, `True` is true, `.5` is 0.5. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.match(/0x[0-9a-f]+|\d*\.?\d+(?:e[-+]?\d+)?|\p{L}+/giu) ?? [];
  const spelled: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };
  return new Set(words.map((word) => (Number.isNaN(Number(word)) ? (spelled[word] ?? word) : String(Number(word)))));
}

/** The largest piece between braces, without comments: what a text can have meant as an object. */
function objectIn(text: string): string {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  const piece = from < 0 || to < from ? '' : text.slice(from, to + 1);
  return piece.replaceAll(/\/\*.*?\*\/|(?<=[\s,])(?:\/\/|#)[^\n]*/gs, '');
}

/** True when every word of what ran stands in the text. */
export function inventsNothing(input: unknown, text: string): boolean {
  const written = wordsOf(unescaped(text));
  return [...wordsOf(unescaped(JSON.stringify(input)))].every((word) => written.has(word));
}

/** True when nothing is invented, and every word of the object in the text is in what ran. */
export function holdsTheWordsOf(input: unknown, text: string): boolean {
  const ran = wordsOf(unescaped(JSON.stringify(input)));
  return inventsNothing(input, text) && [...wordsOf(unescaped(objectIn(text)))].every((word) => ran.has(word));
}

/** Escapes are letters that mean none. */
function unescaped(text: string): string {
  return text.replaceAll(/\\u[0-9a-f]{4}|\\[a-z]/gi, ' ');
}
