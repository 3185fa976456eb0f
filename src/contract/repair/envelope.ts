/**
 * From the text that a model sent as arguments to the one object in it: code fences, wrappers, encodings around it are taken off when exactly
 * one object remains. Two objects are two calls or a mistake, and nobody but the model can say which.
 */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { isTooLarge, argumentLimits } from './argument-limits.ts';
import type { OddNumber } from './lenient-number.ts';
import { LenientReader } from './lenient-reader.ts';
import type { RepairLog } from './repair-log.ts';
import { type ArgumentsCode, TextCursor, TextFault } from './text-cursor.ts';

/** What the reader must know of the tool. */
export interface ReadingContext {
  readonly tool: string;
  /** True when the tool declares no parameter at all. */
  readonly takesNothing: boolean;
  /** True when the tool can be called without any argument. */
  readonly requiresNothing: boolean;
  /** True when a parameter has the format of a date. */
  readonly asksForDates: boolean;
}

export type ReadArguments =
  | { readonly kind: 'read'; readonly value: JsonObject; readonly oddNumbers: ReadonlyMap<string, OddNumber> }
  | { readonly kind: 'refused'; readonly code: ArgumentsCode; readonly what: string };

/** JSON inside a JSON string inside a JSON string is nobody's habit. */
const maxEncodings = 2;

/** Reads the arguments with every text repair that is certain for the tool; notes them in the log. */
export function readArgumentsLeniently(text: string, context: ReadingContext, log: RepairLog): ReadArguments {
  try {
    return readEncoded(text, context, { log, encodings: 0 });
  } catch (error) {
    if (error instanceof TextFault) return { kind: 'refused', code: error.code, what: error.message };
    throw error;
  }
}

interface Progress {
  readonly log: RepairLog;
  readonly encodings: number;
}

function readEncoded(text: string, context: ReadingContext, progress: Progress): ReadArguments {
  const { log } = progress;
  if (isTooLarge(text)) {
    throw new TextFault('arguments-too-large', `they are larger than ${argumentLimits.sizeBytes} bytes`);
  }
  const cursor = new TextCursor(text, log);
  if (cursor.take(/\ufeff/y) !== undefined) log.add('byte-order-mark', '', { before: '\ufeff' });
  cursor.take(/\s*/y);
  if (cursor.ended) return noArguments('', context, log);
  const wrapping = openWrapping(cursor, context);
  const { value, reader } = readOne(cursor, context, wrapping);
  if (log.full) throw new TextFault('arguments-unreadable', 'they need more repairs than can be believed');
  return unwrap(value, reader, { context, progress });
}

/** The one value of the text; what stands after it must mean nothing. */
function readOne(
  cursor: TextCursor,
  context: ReadingContext,
  wrapping: Wrapping,
): { value: JsonValue; reader: LenientReader } {
  let reader = new LenientReader(cursor);
  let value = reader.readValue('');
  cursor.skipSpace('');
  if (isEmptyObject(value) && cursor.char === '{' && (!context.requiresNothing || !cursor.log.sideEffect)) {
    reader = new LenientReader(cursor);
    value = reader.readValue('');
    cursor.log.add('empty-placeholder', '', { before: {} });
  }
  closeWrapping(cursor, wrapping);
  refuseMore(cursor);
  return { value, reader };
}

/** What was found before the value, and so may stand after it. */
interface Wrapping {
  readonly fence: boolean;
  readonly call: boolean;
}

function openWrapping(cursor: TextCursor, context: ReadingContext): Wrapping {
  const fence = openFence(cursor) ?? (passWords(cursor) ? openFence(cursor) : undefined);
  const name = cursor.look(/[A-Za-z_][\w.-]*(?=\s*\(\s*\{)/y);
  if (name === undefined) return { fence: fence !== undefined, call: false };
  const rule = name === context.tool ? 'call-wrapper' : 'foreign-call-wrapper';
  if (!cursor.log.permits(rule)) {
    throw cursor.fault('arguments-unreadable', `they are wrapped in a call of ${name}; send the object alone`);
  }
  cursor.take(/[A-Za-z_][\w.-]*\s*\(\s*/y);
  cursor.log.add(rule, '', { before: name });
  return { fence: fence !== undefined, call: true };
}

/** The fence, or the word, that stands before the object. */
function openFence(cursor: TextCursor): string | undefined {
  const fence = cursor.take(/(?:```|~~~)[A-Za-z0-9]*\s*|`(?=\s*\{)/y);
  const word = cursor.take(/json\s*(?=[{["'])/iy);
  if (fence === undefined && word === undefined) return undefined;
  cursor.log.add('code-fence', '', { before: `${fence ?? ''}${word ?? ''}` });
  return fence;
}

/** Words that end with a colon or their line, and no code. */
const wordsBefore = /[\p{L}\p{N}\s.,!?'’;:*_–—-]{1,400}?(?::\s*|\n\s*)(?=\{|```|~~~)/uy;

/** Passes over what was said before the object. A single word with a colon may be a key. */
function passWords(cursor: TextCursor): boolean {
  const words = cursor.look(wordsBefore);
  if (words === undefined || (words.includes(':') && !/\p{L}[\s,]+\p{L}/u.test(words))) return false;
  if (!cursor.log.permits('text-before')) {
    throw cursor.fault('arguments-unreadable', 'words stand before the object; send the object alone');
  }
  cursor.take(wordsBefore);
  cursor.log.add('text-before', '', { before: words });
  return true;
}

function closeWrapping(cursor: TextCursor, wrapping: Wrapping): void {
  cursor.skipSpace('');
  if (wrapping.call && cursor.take(/\)\s*;?\s*/y) === undefined) {
    throw cursor.fault('arguments-unreadable', 'a closing ) must stand here');
  }
  if (wrapping.fence) cursor.take(/(?:```|~~~|`)\s*/y);
}

/** With what models end a call, when it is not taken off before. */
const endToken =
  /(?:<\|[\w-]{1,40}\|>|<\/(?:tool_call|tool_use|tool|function_call|function|invoke|arguments|parameters|s)>|\0)/y;

function passEnd(cursor: TextCursor): void {
  cursor.skipSpace('');
  for (let token = cursor.take(endToken); token !== undefined; token = cursor.take(endToken)) {
    cursor.log.add('end-token', '', { before: token });
    cursor.skipSpace('');
  }
  if (cursor.take(/;\s*$/y) !== undefined) cursor.log.add('semicolon-after', '', { before: ';' });
  const closing = cursor.log.permits('closing-after') ? cursor.take(/[}\]]{1,3}\s*$/y) : undefined;
  if (closing !== undefined) cursor.log.add('closing-after', '', { before: closing.trim() });
}

function refuseMore(cursor: TextCursor): void {
  passEnd(cursor);
  if (cursor.ended) return;
  if (/[{[]/.test(cursor.char)) {
    throw cursor.fault('arguments-ambiguous', 'several objects follow each other; send each call on its own');
  }
  const words = cursor.look(/[^{}[\]":]*/y) ?? '';
  const apart = /\s/.test(cursor.text.charAt(cursor.at - 1)) && /[A-Za-z]/.test(cursor.char);
  if (!apart || cursor.at + words.length < cursor.text.length || !cursor.log.permits('text-after')) {
    throw cursor.fault('arguments-unreadable', 'something follows the object');
  }
  cursor.log.add('text-after', '', { before: words });
}

interface Unwrapping {
  readonly context: ReadingContext;
  readonly progress: Progress;
}

/** The object that the value is, or that stands in it as a text or as the only item of an array. */
function unwrap(value: JsonValue, reader: LenientReader, { context, progress }: Unwrapping): ReadArguments {
  const { log, encodings } = progress;
  if (isJsonObject(value)) return { kind: 'read', value, oddNumbers: reader.oddNumbers };
  if (value === null) return noArguments('null', context, log);
  if (typeof value === 'string' && reader.oddNumbers.size === 0 && encodings < maxEncodings) {
    if (value.trim() !== '') log.add('double-encoded', '', { before: value });
    return readEncoded(value, context, { log, encodings: encodings + 1 });
  }
  const only = isJsonArray(value) && value.length === 1 ? value[0] : undefined;
  if (!isJsonObject(only)) throw new TextFault('arguments-unreadable', 'they must be one JSON object');
  log.add('array-around', '', { before: value, after: only });
  return { kind: 'read', value: only, oddNumbers: withoutFirstMember(reader.oddNumbers) };
}

/** The paths as they are once the array around the object is gone. */
function withoutFirstMember(oddNumbers: ReadonlyMap<string, OddNumber>): ReadonlyMap<string, OddNumber> {
  return new Map([...oddNumbers].map(([path, odd]) => [path.replace(/^\/0/, ''), odd]));
}

/** No text is a call without arguments, unless a side effect could be meant to have some. */
function noArguments(text: string, context: ReadingContext, log: RepairLog): ReadArguments {
  if (!context.requiresNothing) {
    throw new TextFault('arguments-invalid', 'they are empty, and the tool has required parameters');
  }
  if (log.sideEffect && !context.takesNothing) {
    throw new TextFault('arguments-invalid', 'they are empty; send {} when the tool is to run without arguments');
  }
  log.add('empty-arguments', '', { before: text, after: {} });
  return { kind: 'read', value: {}, oddNumbers: new Map() };
}

function isEmptyObject(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
