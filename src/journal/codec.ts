/**
 * Entries as text, and back. Every store keeps what this file writes.
 *
 * C1 `decodeEntries` of what `encodeEntries` gave is deeply equal to the entries.
 * C2 A value at a body place whose JSON text exceeds 2,048 bytes stands in `bodies`, once by its hash, and the text refers to it as `{"$body": hash}`.
 *    A value that itself has a key `$body` is always such a body, whatever its size: so an object with that key at a body place is always a
 *    reference, and nothing needs an escape.
 *    What goes without saying, or was said before in the same append, is not written (`left-out.ts`).
 * C3 Entries are checked before they are written and after they are read, unless a checksum says that the text is the one that was checked when it was written; a body is believed only when it has the hash by which it was asked for.
 */
import { AxleError } from '../error/axle-error.ts';
import { defined } from '../util/defined.ts';
import { sha256 } from '../util/hash.ts';
import { isRecord } from '../util/json.ts';
import { changeBodies } from './body-places.ts';
import { type BodySize, ValueReferences } from './body-reference.ts';
import { assertEntry } from './entry-guard.ts';
import type { Entry } from './entry.ts';
import { isEntryType } from './entry-types.ts';
import { leaveOut, restore } from './left-out.ts';
import { maxAppendLength, maxEntriesPerAppend } from './limits.ts';
import { formatHistory, stepsFrom, type FormatHistory } from './upcast.ts';

/** A value kept apart from its entry. */
export interface Body {
  /** SHA-256 of `text`. */
  readonly hash: string;
  /** The value as JSON text. */
  readonly text: string;
}

export interface EncodedEntries {
  /** A JSON array with one item for each entry. */
  readonly text: string;
  readonly bodies: readonly Body[];
}

/** The text of a body by its hash, undefined when the store does not have it. */
export type BodyLookup = (hash: string) => string | undefined;

/** Values up to this many bytes of JSON stay in their entry. */
export const maxInlineBytes = 2_048;

const referenceKey = '$body';
/**
 * Stands in every text that has the key, and in few others. Looked for without its opening quote: a search goes from one occurrence of the first character to the
 * next, and quotes are everywhere.
 */
const referenceMark = JSON.stringify(referenceKey).slice(1);
/** No text of this length can exceed `maxInlineBytes`: a UTF-16 unit takes at most three bytes of UTF-8. */
const surelyInlineLength = Math.floor(maxInlineBytes / 3);

/**
 * Checks entries and writes them as text.
 * @throws AxleError `internal` for what is no entry; `limit-exceeded` for more than 1,000 entries or 32 Mi characters in one append.
 */
export function encodeEntries(entries: readonly Entry[]): EncodedEntries {
  if (entries.length === 0) throw new AxleError('internal', 'An append holds at least one entry; this one holds none.');
  if (entries.length > maxEntriesPerAppend) {
    const message = `An append holds at most ${maxEntriesPerAppend} entries; this one holds ${entries.length}.`;
    throw new AxleError('limit-exceeded', message);
  }
  for (const entry of entries) assertEntry(entry, 'internal');
  const remainders = leaveOut(entries);
  const text = JSON.stringify(remainders);
  // Where all entries together have no more than one may have, none has a body.
  if (isInline(text) && !text.includes(referenceMark)) return { text, bodies: [] };
  return encodeOutlined(remainders);
}

/** The same with large values in bodies. */
function encodeOutlined(entries: readonly Readonly<Record<string, unknown>>[]): EncodedEntries {
  const bodies: Body[] = [];
  const text = `[${entries.map((entry) => encodeEntry(entry, bodies)).join(',')}]`;
  const length = bodies.reduce((sum, body) => sum + body.text.length, text.length);
  if (length > maxAppendLength) {
    throw new AxleError(
      'limit-exceeded',
      `An append holds at most ${maxAppendLength} characters; this one holds ${length}.`,
    );
  }
  return { text, bodies };
}

function encodeEntry(entry: Readonly<Record<string, unknown>>, bodies: Body[]): string {
  const text = JSON.stringify(entry);
  if (isInline(text) && !text.includes(referenceMark)) return text;
  const outlined = changeBodies(entry, formatHistory.places, (value) => outline(value, bodies));
  return JSON.stringify(outlined);
}

function isInline(text: string): boolean {
  return (
    text.length <= surelyInlineLength || (text.length <= maxInlineBytes && Buffer.byteLength(text) <= maxInlineBytes)
  );
}

function outline(value: unknown, bodies: Body[]): unknown {
  if (value === undefined) return value;
  const text = JSON.stringify(value);
  if (isInline(text) && !isReference(value)) return value;
  const hash = sha256(text);
  if (!bodies.some((body) => body.hash === hash)) bodies.push({ hash, text });
  return { [referenceKey]: hash };
}

function isReference(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.hasOwn(value, referenceKey);
}

/** Reads entries of some format version, with their bodies, in the current form. */
export type DecodeEntries = (text: string, formatVersion: number, options: DecodeOptions) => readonly Entry[];

export interface DecodeOptions {
  readonly lookup: BodyLookup;
  /** True when a checksum has shown that the text is what `encodeEntries` gave: entries of the current format are then not checked again. @defaultValue false */
  readonly isIntact?: boolean;
  /** Present when values that stand in bodies are to be named (`body-reference.ts`). Entries of an older form are read whole: a step to the next form may look into them. */
  readonly sizeOf?: BodySize;
}

/** A reader for a history of formats. The shipped one is `decodeEntries`. */
export function createDecoder(history: FormatHistory): DecodeEntries {
  const today = stepsFrom(history.current, history);
  return (text, formatVersion, { lookup, isIntact = false, sizeOf }) => {
    const isCurrent = formatVersion === history.current;
    const steps = isCurrent ? today : stepsFrom(formatVersion, history);
    const values = parseRecords(text);
    // Also where nothing stands elsewhere: what a model wrote may look like a reference, and is read only below.
    const references = isCurrent && sizeOf !== undefined ? new ValueReferences(sizeOf) : undefined;
    const whole = text.includes(referenceMark)
      ? values.map((value) => {
          const named = references?.name(value) ?? value;
          return changeBodies(named, steps.places, (place) =>
            references?.has(place) === true ? place : inline(place, lookup),
          );
        })
      : values;
    const isChecked = isIntact && isCurrent;
    // A resume reads thousands of these: what was checked when it was written, in the form of today, is handed on as it was parsed.
    if (complete(whole) && isChecked && references === undefined) return whole;
    return whole.map((value) => {
      const entry: unknown = steps.upcast(references?.wrap(value) ?? value);
      if (!isChecked || !isKnown(entry)) assertEntry(entry, 'entry-invalid');
      return entry;
    });
  };
}

/** Puts back, in place, what the entries of one append were written without; true when each is of a type that this release knows. */
function complete(entries: readonly Readonly<Record<string, unknown>>[]): entries is readonly KnownEntry[] {
  return restore(entries);
}

/** An entry whose type is known; only where its text is intact, its fields are. */
type KnownEntry = Readonly<Record<string, unknown>> & Entry;

/** The check that is left for an entry whose text is intact: that this release knows its type. */
function isKnown(entry: unknown): entry is KnownEntry {
  return isRecord(entry) && isEntryType(entry['type']);
}

/**
 * Reads what `encodeEntries` wrote.
 * @throws AxleError `entry-invalid`, `entry-too-new`
 */
export const decodeEntries: DecodeEntries = createDecoder(formatHistory);

function parseRecords(text: string): readonly Readonly<Record<string, unknown>>[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid('An append is not JSON text.', cause);
  }
  if (!Array.isArray(value)) throw invalid('An append is not a list of entries.');
  const items: readonly unknown[] = value;
  if (!items.every(isRecord)) throw invalid('An append holds something that is not an entry.');
  return items;
}

function inline(value: unknown, lookup: BodyLookup): unknown {
  if (!isReference(value)) return value;
  const hash = value[referenceKey];
  if (typeof hash !== 'string') throw invalid('A reference to a body names no hash.');
  const text = lookup(hash);
  if (text === undefined) throw invalid(`The body ${hash} is missing.`);
  if (sha256(text) !== hash) throw invalid(`The body ${hash} has another content than its hash says.`);
  const body: unknown = JSON.parse(text);
  return body;
}

function invalid(message: string, cause?: unknown): AxleError {
  return new AxleError('entry-invalid', message, defined({ cause }));
}
