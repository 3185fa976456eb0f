/**
 * Text from models, tools and people, made fit for a terminal.
 *
 * X1 No control character, escape sequence, text direction mark, line separator or invisible character comes through as itself: it is written out
 *    (`\n`, `\u{1b}`), so that nothing can move the cursor, change colours, reorder what is read or hide from the reader.
 * X2 Nothing is cut inside of a code point, and lengths are columns of a terminal: wide characters count two, marks that combine count none.
 */

// Cc and Cf hold the controls and the invisible ones (direction marks, soft hyphen, tags); Zl and Zp part lines; Cs are halves of pairs.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** Joins the parts of an emoji or of a script's ligature; alone it does nothing. */
const joiners = new Set(['\u{200c}', '\u{200d}']);
const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** One line that is safe to print (X1). */
export function oneLine(text: string): string {
  return text.replace(unsafe, (character) =>
    joiners.has(character) ? character : (shortEscapes.get(character) ?? escapeOf(character)),
  );
}

/** Safe to print, its line breaks kept (X1). */
export function manyLines(text: string): readonly string[] {
  return text.split(/\r?\n/u).map((line) => oneLine(line.replaceAll('\t', '  ')));
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u{3000}-\u{303f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}]/u;
const combining = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** How many columns a safe text takes (X2). */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

function widthOf(character: string): number {
  if (character <= '\u{7e}') return 1;
  if (combining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** The beginning of a safe text that fits into `columns`, its end marked with an ellipsis when something was cut off (X2). */
export function cutToColumns(text: string, columns: number): string {
  if (text.length <= columns && columnsOf(text) <= columns) return text;
  let kept = '';
  let taken = 0;
  for (const character of text) {
    const width = widthOf(character);
    if (taken + width > columns) return `${withoutLast(kept, columns - 1)}…`;
    kept += character;
    taken += width;
  }
  return kept;
}

function withoutLast(text: string, columns: number): string {
  const characters = Array.from(text);
  while (columnsOf(characters.join('')) > columns) characters.pop();
  return characters.join('');
}

/** A safe text over several lines of `columns`; when `maxLines` do not suffice, the last ends with an ellipsis (X2). */
export function wrapToColumns(text: string, columns: number, maxLines: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (lines.length < maxLines - 1 && columnsOf(rest) > columns) {
    const whole = withoutLast(rest.slice(0, columns * 2), columns);
    const space = whole.lastIndexOf(' ');
    const line = space > columns / 2 ? whole.slice(0, space) : whole;
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return [...lines, cutToColumns(rest, columns)];
}

/** Filled up with spaces to `columns`. */
export function padToColumns(text: string, columns: number): string {
  return `${text}${' '.repeat(Math.max(0, columns - columnsOf(text)))}`;
}
