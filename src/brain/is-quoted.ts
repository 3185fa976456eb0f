/**
 * Whether words of a model are those that a tool gave back, or that the user sent, so that nobody's data makes calls.
 *
 * E1 What counts is the letters: JSON inside of texts and markup write the signs between them anew (`\\n`, `\\u003c`, `&lt;`, `&#60;`), and a model that repeats
 *    them has read them back.
 * E2 A failure is given back too: its message may hold what somebody else wrote.
 */
import type { TranscriptItem } from '../call/message.ts';
import type { Outcome } from '../call/outcome.ts';
import { isJsonObject, type JsonValue } from '../util/json.ts';

/** Whether a result of the conversation holds these words, whatever stands between their letters. */
export function isQuoted(text: string, items: readonly TranscriptItem[]): boolean {
  const letters = lettersOf(text);
  return items.some(
    (item) =>
      item.kind === 'results' && item.results.some(({ outcome }) => lettersOf(givenBack(outcome)).includes(letters)),
  );
}

/** Whether a message of the user holds these words, whatever stands between their letters: a mail, a page or a log that was pasted may hold a call. */
export function isOfUser(text: string, items: readonly TranscriptItem[]): boolean {
  const letters = lettersOf(text);
  return items.some((item) => item.kind === 'user' && lettersOf(item.text).includes(letters));
}

function givenBack(outcome: Outcome): string {
  switch (outcome.status) {
    case 'succeeded':
      return wordsOf(outcome.output);
    case 'failed':
      return outcome.failure.message;
    case 'denied':
    case 'cancelled':
    case 'in-doubt':
      return '';
  }
}

/** All texts and keys of a value, one after another. */
function wordsOf(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const parts: readonly JsonValue[] = isJsonObject(value) ? Object.entries(value).flat() : value;
  return parts.map(wordsOf).join(' ');
}

const entity = /&(?:amp;)*(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|[A-Za-z]{2,8});/g;
const escape = /\\+(?:u([0-9a-fA-F]{4})|[nrtbf])/g;

function lettersOf(text: string): string {
  return text
    .replaceAll(entity, (_, decimal?: string, hexadecimal?: string) =>
      charOf(decimal === undefined ? Number.parseInt(hexadecimal ?? '20', 16) : Number(decimal)),
    )
    .replaceAll(escape, (_, code?: string) => charOf(Number.parseInt(code ?? '20', 16)))
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function charOf(code: number): string {
  return code > 0x10_ff_ff ? ' ' : String.fromCodePoint(code);
}
