/**
 * Arguments from text to data.
 *
 * A1 Nothing is parsed before its size, depth and number of keys are known to be within limits.
 * A2 A text that is JSON is taken as it is: no number is rounded, no key is lost, nothing is repaired.
 * A3 Everything else goes through the lenient reader, whose every repair is recorded.
 * A4 No text and no key holds half of a character pair: something of it was lost on the way, and providers refuse a conversation with it.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { argumentLimits, isForbiddenKey, isTooLarge } from './argument-limits.ts';
import { readArgumentsLeniently, type ReadArguments, type ReadingContext } from './envelope.ts';
import { pointerTo } from '../pointer.ts';
import type { OddNumber } from './lenient-number.ts';
import type { RepairLog } from './repair-log.ts';

const noOddNumbers: ReadonlyMap<string, OddNumber> = new Map();

/** Reads the arguments of a call. Repairs go into the log. */
export function readArguments(text: string, context: ReadingContext, log: RepairLog): ReadArguments {
  if (isTooLarge(text)) {
    return {
      kind: 'refused',
      code: 'arguments-too-large',
      what: `they are larger than ${argumentLimits.sizeBytes} bytes`,
    };
  }
  const value = parseExactly(text);
  const read: ReadArguments =
    value === undefined
      ? readArgumentsLeniently(text, context, log)
      : { kind: 'read', value, oddNumbers: noOddNumbers };
  if (read.kind === 'refused' || (!surrogateEscape.test(text) && text.isWellFormed())) return read;
  const path = brokenText(read.value, '');
  if (path === undefined) return read;
  const what = `the text at ${path} holds half of a character; write the character itself`;
  return { kind: 'refused', code: 'arguments-unreadable', what };
}

const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Where a text or a key stands that holds half of a character pair. */
function brokenText(value: JsonValue, path: string): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries<JsonValue>(value)) {
    const found = key.isWellFormed() ? brokenText(member, pointerTo(path, key)) : path;
    if (found !== undefined) return found === '' ? 'the top' : found;
  }
  return undefined;
}

/** The object that the text is in plain JSON, when `JSON.parse` gives it without any loss. */
function parseExactly(text: string): JsonObject | undefined {
  const survey = surveyJson(text);
  if (survey === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // A key that is there twice is one key in the value.
  return isParsedObject(value) && countKeys(value) === survey.keys ? value : undefined;
}

// `JSON.parse` gives JSON data and nothing else.
function isParsedObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const quoteCode = 34;
const backslashCode = 92;

/**
 * One pass over a text that is probably JSON: how many keys it has. Undefined when it exceeds a limit, or holds a number with so many digits that
 * it may be rounded; the lenient reader then says what is the matter.
 */
function surveyJson(text: string): { readonly keys: number } | undefined {
  let depth = 0;
  let keys = 0;
  let values = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) {
      digits += 1;
      if (digits > 15) return undefined;
      continue;
    }
    digits = 0;
    switch (code) {
      case quoteCode: {
        const end = endOfString(text, at + 1);
        if (end === -1 || end - at > argumentLimits.stringLength) return undefined;
        at = end;
        break;
      }
      case 58: // :
        keys += 1;
        break;
      case 44: // ,
        values += 1;
        break;
      case 123: // {
      case 91: // [
        depth += 1;
        if (depth > argumentLimits.depth) return undefined;
        break;
      case 125: // }
      case 93: // ]
        depth -= 1;
        break;
      // An exponent may lead beyond what a number can hold.
      case 69: // E
      case 101: // e
        if (isExponent(text, at)) return undefined;
        break;
      default:
    }
  }
  return keys > argumentLimits.keys || values > argumentLimits.values ? undefined : { keys };
}

/** Where the text that begins at `from` has its closing quote, -1 when it has none. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslashCode && end - 1 - backslashes >= from) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}

/** Whether the letter e at this place stands after a digit, and not in `true` or `false`. */
function isExponent(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 48 && before <= 57;
}

/** The keys of all objects in the value together; -1 when one of them is forbidden. */
function countKeys(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (!isJsonObject(value)) {
    for (const item of value) {
      const inner = countKeys(item);
      if (inner === -1) return -1;
      count += inner;
    }
    return count;
  }
  for (const key of Object.keys(value)) {
    if (isForbiddenKey(key)) return -1;
    const inner = countKeys(value[key] ?? null);
    if (inner === -1) return -1;
    count += inner + 1;
  }
  return count;
}
