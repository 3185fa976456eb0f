/** Where what a bracket or quote opens is closed again, and what stands between: without reading what it means. */

const closers: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };
const quotes = new Set(['"', "'"]);

/** How many characters may still be looked at in search of a bracket. */
export interface Work {
  left: number;
}

/** The index of the bracket that closes the one at `from`; -1 when there is none, brackets cross, or too much was searched already. Quoted text is passed over. */
export function closingOf(text: string, from: number, work: Work = { left: Infinity }): number {
  const close = closingWithin(text, from, from + work.left);
  work.left -= (close === -1 ? text.length : close) - from;
  return close;
}

function closingWithin(text: string, from: number, limit: number): number {
  const open: string[] = [];
  for (let at = from; at < text.length && at < limit; at += 1) {
    const char = text.charAt(at);
    const closer = closers[char];
    if (closer !== undefined) open.push(closer);
    else if (quotes.has(char)) {
      at = endOfQuoted(text, at);
      if (at === -1) return -1;
    } else if (char === '}' || char === ']' || char === ')') {
      if (open.pop() !== char) return -1;
      if (open.length === 0) return at;
    }
  }
  return -1;
}

/** The index of the quote that closes the one at `from`; -1 when there is none. Three quotes open what three close. */
export function endOfQuoted(text: string, from: number): number {
  const quote = text.charAt(from);
  const triple = quote.repeat(3);
  if (text.startsWith(triple, from)) {
    const end = text.indexOf(triple, from + 3);
    return end === -1 ? -1 : end + 2;
  }
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === quote) return at;
  }
  return -1;
}

/** The pieces between the commas of a bracket's content, trimmed; an empty last one is left out. Undefined when brackets or quotes inside stay open. */
export function piecesOf(content: string): readonly string[] | undefined {
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; at < content.length; at += 1) {
    const char = content.charAt(at);
    if (char === ',') {
      pieces.push(content.slice(start, at).trim());
      start = at + 1;
    } else {
      const end =
        closers[char] !== undefined ? closingOf(content, at) : quotes.has(char) ? endOfQuoted(content, at) : at;
      if (end === -1) return undefined;
      at = end;
    }
  }
  const last = content.slice(start).trim();
  return last === '' ? pieces : [...pieces, last];
}

/** The members of an object's text, values as they are written; undefined when it has another form or a key twice. */
export function membersOf(object: string): ReadonlyMap<string, string> | undefined {
  const pieces = piecesOf(object.slice(1, -1));
  if (pieces === undefined) return undefined;
  const members = new Map<string, string>();
  for (const piece of pieces) {
    const found = /^(?:"([^"\\]*)"|'([^'\\]*)'|([A-Za-z_$][\w$]*))\s*:\s*([^]+)$/.exec(piece);
    const key = firstOf(found, 1, 2, 3);
    const value = found?.[4];
    if (key === undefined || value === undefined || members.has(key)) return undefined;
    members.set(key, value);
  }
  return members;
}

/** The text that a quoted literal stands for; undefined when it is none, or holds escapes. */
export function plainTextOf(literal: string | undefined): string | undefined {
  return firstOf(/^"([^"\\]*)"$|^'([^'\\]*)'$/.exec(literal ?? ''), 1, 2);
}

/** The first of several groups that took part in a match. */
function firstOf(found: RegExpExecArray | null, ...groups: readonly number[]): string | undefined {
  const group = groups.find((each) => found?.[each] !== undefined);
  return group === undefined ? undefined : found?.[group];
}
