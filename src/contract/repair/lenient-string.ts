/** Texts as models write them: raw line breaks, single quotes, backslashes that escape nothing, quotes that should have been escaped. */
import { argumentLimits } from './argument-limits.ts';
import type { TextCursor } from './text-cursor.ts';

const plainRun = /[^"'\\\p{Cc}]+/uy;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
/** Letters that mean something after a backslash in JSON or in some language that models write: one of them makes a lone backslash doubtful. */
const meaningfulEscape = /['abfnrtuvxUN0-9]/;

/** Whether the text stands where a value is expected; only there may unescaped quotes be mended. */
export type StringPlace = 'key' | 'value';

/** Reads the text whose opening quote is here. */
export function readLenientString(cursor: TextCursor, path: string, place: StringPlace): string {
  const start = cursor.at;
  const quote = cursor.char;
  cursor.at += 1;
  let value = '';
  const seen: Seen = { control: false, meaningful: false, lone: false };
  for (;;) {
    value += cursor.take(plainRun) ?? '';
    if (value.length > argumentLimits.stringLength) {
      throw cursor.fault('arguments-too-large', `a text is longer than ${argumentLimits.stringLength} characters`);
    }
    const { char } = cursor;
    if (char === '') throw cursor.fault('arguments-truncated', 'the text is not closed');
    if (char === quote) break;
    if (char === '\\') value += readEscape(cursor, seen, { path, quote });
    else {
      seen.control ||= char < ' ';
      value += char;
      cursor.at += 1;
    }
  }
  cursor.at += 1;
  if (seen.lone && seen.meaningful) {
    cursor.at = start;
    throw cursor.fault(
      'arguments-ambiguous',
      'some backslashes of this text escape something and some do not; double those that are meant',
    );
  }
  if (place === 'value' && quote === '"' && cursor.look(/\s*[^\s,\]}"/]/y) !== undefined) {
    const inner = readInnerQuotes(cursor, start);
    if (inner !== undefined) {
      cursor.log.add('inner-quotes', path, { before: cursor.text.slice(start, cursor.at), after: inner });
      return inner;
    }
  }
  if (!seen.control && !seen.lone && quote === '"') return value;
  const change = { before: cursor.text.slice(start, cursor.at), after: value };
  if (seen.control) cursor.log.add('control-character', path, change);
  if (seen.lone) cursor.log.add('lone-backslash', path, change);
  if (quote === "'") cursor.log.add('single-quotes', path, change);
  return value;
}

/** Reads the text whose opening quote “ is here. With another quote or a backslash in it, nobody can say where it ends. */
export function readTypographicString(cursor: TextCursor, path: string): string {
  const written = cursor.take(/“[^“”"\\\p{Cc}]*”/uy);
  if (written === undefined) {
    if (!cursor.text.includes('”', cursor.at)) cursor.at = cursor.text.length;
    throw cursor.fault('arguments-unreadable', 'texts need straight double quotes');
  }
  if (written.length > argumentLimits.stringLength) {
    throw cursor.fault('arguments-too-large', `a text is longer than ${argumentLimits.stringLength} characters`);
  }
  const value = written.slice(1, -1);
  cursor.log.add('typographic-quotes', path, { before: written, after: value });
  return value;
}

interface Seen {
  control: boolean;
  meaningful: boolean;
  lone: boolean;
}

function readEscape(
  cursor: TextCursor,
  seen: Seen,
  { path, quote }: { readonly path: string; readonly quote: string },
): string {
  cursor.at += 1;
  const { char } = cursor;
  if (char === '') throw cursor.fault('arguments-truncated', 'the text is not closed');
  if (char === 'u') {
    const hex = cursor.take(/u[0-9a-fA-F]{4}/y);
    if (hex === undefined) {
      if (cursor.text.length - cursor.at < 5) cursor.at = cursor.text.length;
      throw cursor.fault('arguments-unreadable', '\\u must be followed by four hexadecimal digits');
    }
    seen.meaningful = true;
    return String.fromCharCode(Number.parseInt(hex.slice(1), 16));
  }
  cursor.at += 1;
  const known = escapes[char];
  if (known !== undefined) {
    seen.meaningful ||= meaningfulEscape.test(char);
    return known;
  }
  if (char === "'" && (quote === "'" || cursor.log.permits('escaped-apostrophe'))) {
    if (quote !== "'") cursor.log.add('escaped-apostrophe', path, { before: "\\'", after: "'" });
    return char;
  }
  seen.lone = true;
  seen.meaningful ||= meaningfulEscape.test(char) || char < ' ';
  return `\\${char}`;
}

/**
 * The text from `start` on, read so that its unescaped quotes belong to it: to the first quote that something structural follows. Only where that
 * leaves one reading: the inner quotes stand around words, in pairs, and nothing between them could be structure.
 */
function readInnerQuotes(cursor: TextCursor, start: number): string | undefined {
  if (!cursor.log.permits('inner-quotes')) return undefined;
  const closing = /"(?=\s*[,\]}])/g;
  closing.lastIndex = start + 1;
  const end = closing.exec(cursor.text)?.index;
  if (end === undefined || end - start > argumentLimits.stringLength) return undefined;
  const content = cursor.text.slice(start + 1, end);
  if (
    !/^(?:[^"{}[\]\\\p{Cc}]*(?<![^\s("])"(?!\s)[^"{}[\]\\\p{Cc}]+(?<!\s)"(?![\w:]))+[^"{}[\]\\\p{Cc}]*$/u.test(content)
  ) {
    return undefined;
  }
  cursor.at = end + 1;
  return content;
}
