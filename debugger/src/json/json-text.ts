/** What is shown of a value: its name and its text, taken out of the bytes when they are looked at. */
import { type JsonIndex, stringEnd } from './json-index.ts';

const decoder = new TextDecoder();

/** Bytes of a string that a row looks at. */
const mostBytes = 1_200;
/** Strings that could be text are judged by their beginning. */
const leastEncodedBytes = 200;

export interface ShownString {
  readonly text: string;
  readonly isCut: boolean;
  readonly sizeBytes: number;
  /** Data written in letters: nobody reads it. */
  readonly isEncoded: boolean;
}

export function stringAt({ bytes }: Pick<JsonIndex, 'bytes'>, start: number, most = mostBytes): ShownString {
  const end = Math.max(start + 1, stringEnd(bytes, start) - 1);
  const sizeBytes = end - start - 1;
  const isCut = sizeBytes > most;
  const text = unescaped(decoder.decode(bytes.subarray(start + 1, isCut ? start + 1 + most : end)));
  return { text, isCut, sizeBytes, isEncoded: sizeBytes >= leastEncodedBytes && isEncoded(text) };
}

/** The JSON text of a value. */
export function textOf(index: JsonIndex, node: number): string {
  return decoder.decode(index.bytes.subarray(index.start[node], index.endOf(node)));
}

const shortEscapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Half an escape or half a letter at the end of what was cut stays away. */
function unescaped(text: string): string {
  return text
    .replace(/\ufffd+$/u, '')
    .replace(
      /\\(?:u([\da-f]{4})|u[\da-f]{0,3}$|$|(.))/giu,
      (_, code: string | undefined, letter: string | undefined) => {
        if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
        return letter === undefined ? '' : (shortEscapes[letter] ?? letter);
      },
    );
}

function isEncoded(text: string): boolean {
  return /^data:[\w/+.-]+;base64,/u.test(text) || /^(?=.*[\d+/_-])[\w+/-]{160,}={0,2}$/u.test(text.slice(0, 600));
}

/** A large value that was left out: its hash and size stand in its place. */
export function bodyAt(
  index: JsonIndex,
  node: number,
): { readonly hash: string; readonly sizeBytes: number } | undefined {
  const length = index.endOf(node) - (index.start[node] ?? 0);
  if (index.kindOf(node) !== 'object' || index.count[node] !== 2 || length > 200) return undefined;
  const value: unknown = JSON.parse(textOf(index, node));
  return bodyIn(value);
}

/** The large value that stands in the place of this one; undefined when this is the value itself. */
export function bodyIn(value: unknown): { readonly hash: string; readonly sizeBytes: number } | undefined {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return undefined;
  if (!('$body' in value) || !('sizeBytes' in value)) return undefined;
  const { $body: hash, sizeBytes } = value;
  return typeof hash === 'string' && typeof sizeBytes === 'number' ? { hash, sizeBytes } : undefined;
}
