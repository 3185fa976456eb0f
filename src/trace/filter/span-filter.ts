/**
 * The filter language over the spans of a run, the same on the command line, in the API and in a page. Debuggers import this file as it is.
 *
 *   tool:send_mail -status:ok has:retry,timeout dur:>2s "card declined"
 *
 * Terms stand side by side and all must hold; `-` turns one around; words of one term, parted by commas, are alternatives. What is no `field:value` is text.
 */
import { markerNames, spanKinds, spanStatuses } from '../table/span-table.ts';

/** How a number is compared. */
export type Comparison = '>' | '>=' | '<' | '<=' | '=';

export type NumberField = (typeof numberFields)[number];

const numberFields = ['attempts', 'dur', 'tokens', 'step', 'at'] as const;

/** Fields whose words may hold `*` for any characters. */
const patternFields = ['tool', 'id', 'err'] as const;

const wordFields = ['kind', 'status', 'is', 'has'] as const;

export type Condition =
  | { readonly field: (typeof wordFields)[number] | (typeof patternFields)[number]; readonly words: readonly string[] }
  | { readonly field: NumberField; readonly comparison: Comparison; readonly value: number }
  | { readonly field: 'text'; readonly text: string };

export type Term = Condition & { readonly isNegative: boolean };

/** All of its terms must hold; without any, every span is found. */
export type SpanFilter = readonly Term[];

export interface FilterFault {
  /** Where in the text, in UTF-16 code units, and how much of it. */
  readonly at: number;
  readonly length: number;
  /** What is wrong, and what is allowed instead. */
  readonly message: string;
}

export type ParsedFilter =
  | { readonly kind: 'filter'; readonly filter: SpanFilter }
  | { readonly kind: 'invalid'; readonly fault: FilterFault };

/** Fields and what may stand after them, for help and completion. */
export const filterFields: Readonly<
  Record<Condition['field'], { readonly about: string; readonly words?: readonly string[] }>
> = {
  tool: { about: 'a call of this tool, or something in one; * stands for any characters' },
  kind: { about: 'what it is; wait stands for every wait', words: [...spanKinds, 'wait'] },
  status: {
    about: 'how it ended or stands; error stands for failed, refused and lost',
    words: [...spanStatuses, 'error'],
  },
  is: {
    about: 'where it stands',
    words: ['open', 'ended', 'running', 'waiting', 'in-doubt', 'error'],
  },
  has: { about: 'something happened in it', words: [...markerNames, 'error'] },
  attempts: { about: 'how many attempts, or which' },
  dur: { about: 'how long it took, or has taken: 200ms, 2s, 5m, 1h' },
  tokens: { about: 'tokens in and out together: 4000, 4k' },
  step: { about: 'the number of its step' },
  at: { about: 'when it began, from the start of the run: 200ms, 2s, 5m, 1h' },
  err: { about: 'its failure has a code that holds this; * stands for any characters' },
  id: { about: 'its id; * stands for any characters' },
  text: { about: 'a text in its name, and where bodies are at hand also in its input and output' },
};

/** Characters of a filter at most. */
export const maxFilterLength = 2_000;
/** Terms of a filter at most. */
const maxTerms = 50;

/** Reads a filter, or says what is wrong with it and where. */
export function parseFilter(text: string): ParsedFilter {
  if (text.length > maxFilterLength) {
    return invalid(
      maxFilterLength,
      text.length - maxFilterLength,
      `A filter has at most ${maxFilterLength} characters.`,
    );
  }
  const terms: Term[] = [];
  let at = 0;
  for (;;) {
    while (isSpace(text[at])) at += 1;
    if (at >= text.length) return { kind: 'filter', filter: terms };
    if (terms.length >= maxTerms) return invalid(at, text.length - at, `A filter has at most ${maxTerms} terms.`);
    const read = readTerm(text, at);
    if ('fault' in read) return { kind: 'invalid', fault: read.fault };
    terms.push(read.term);
    at = read.end;
  }
}

type Read = { readonly term: Term; readonly end: number } | { readonly fault: FilterFault };

function readTerm(text: string, start: number): Read {
  const isNegative = text[start] === '-' && start + 1 < text.length && !isSpace(text[start + 1]);
  const from = isNegative ? start + 1 : start;
  const name = /^([a-z]+):/iu.exec(text.slice(from, from + 40))?.[1];
  if (name === undefined) {
    const word = readWord(text, from, '');
    return 'fault' in word ? word : { term: { field: 'text', text: word.value, isNegative }, end: word.end };
  }
  const field = Object.keys(filterFields).find((known) => known === name.toLowerCase());
  if (field === undefined) {
    const known = Object.keys(filterFields).join(', ');
    return fault(
      from,
      name.length,
      `There is no field ${name}. Fields are ${known}; a text with a colon in it stands in quotes.`,
    );
  }
  const valueAt = from + name.length + 1;
  const read = readCondition(text, valueAt, fieldOf(field));
  return 'fault' in read ? read : { term: { ...read.condition, isNegative }, end: read.end };
}

// Found among the keys of the table, it is one of them.
function fieldOf(name: string): Condition['field'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller found it among the keys of `filterFields`.
  return name as Condition['field'];
}

function readCondition(
  text: string,
  at: number,
  field: Condition['field'],
): { readonly condition: Condition; readonly end: number } | { readonly fault: FilterFault } {
  if (field === 'text') {
    const word = readWord(text, at, '');
    if ('fault' in word) return word;
    return word.value === '' ? missing(at, field) : { condition: { field, text: word.value }, end: word.end };
  }
  if (isNumberField(field)) return readNumber(text, at, field);
  const words: string[] = [];
  let end = at;
  for (;;) {
    const word = readWord(text, end, ',');
    if ('fault' in word) return word;
    if (word.value === '') return missing(end, field);
    const allowed = filterFields[field].words;
    const value = allowed === undefined ? word.value : word.value.toLowerCase();
    // Waits of kinds that this release does not know are there to be found as well.
    if (allowed !== undefined && !allowed.includes(value) && !(field === 'kind' && value.startsWith('wait-'))) {
      return fault(end, word.end - end, `${field}: does not know ${word.value}. It knows ${allowed.join(', ')}.`);
    }
    words.push(value);
    if (text[word.end] !== ',') return { condition: { field, words }, end: word.end };
    end = word.end + 1;
  }
}

function isNumberField(field: Condition['field']): field is NumberField {
  return numberFields.some((known) => known === field);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, k: 1_000 };

function readNumber(
  text: string,
  at: number,
  field: NumberField,
): { readonly condition: Condition; readonly end: number } | { readonly fault: FilterFault } {
  const word = readWord(text, at, '');
  if ('fault' in word) return word;
  const isTime = field === 'dur' || field === 'at';
  const parts = /^(>=|<=|>|<|=)?(\d+(?:\.\d+)?)(ms|s|m|h|k)?$/u.exec(word.value);
  const [, comparison, digits, unit] = parts ?? [];
  const fits = unit === undefined || (isTime ? unit !== 'k' : unit === 'k' && field === 'tokens');
  if (digits === undefined || !fits) {
    const example = isTime
      ? `${field}:>200ms, ${field}:<=2s, ${field}:>5m`
      : field === 'tokens'
        ? 'tokens:>4000, tokens:<4k'
        : `${field}:3, ${field}:>1`;
    return fault(
      at,
      Math.max(1, word.end - at),
      `${field}: is compared with a number, such as ${example}, and not with ${word.value === '' ? 'nothing' : word.value}.`,
    );
  }
  const value = Number(digits) * (units[unit ?? 'ms'] ?? 1);
  return { condition: { field, comparison: comparisonOf(comparison), value }, end: word.end };
}

function comparisonOf(text: string | undefined): Comparison {
  return text === '>' || text === '>=' || text === '<' || text === '<=' ? text : '=';
}

/** A word up to the next space, or to a comma where words are listed; in quotes with any characters, `\"` and `\\` among them. */
function readWord(
  text: string,
  at: number,
  ends: ',' | '',
): { readonly value: string; readonly end: number } | { readonly fault: FilterFault } {
  if (text[at] !== '"') {
    const rest = text.slice(at);
    const length = rest.search(ends === ',' ? /[\s,]/u : /\s/u);
    const end = length === -1 ? text.length : at + length;
    return { value: text.slice(at, end), end };
  }
  let value = '';
  for (let end = at + 1; end < text.length; end += 1) {
    const character = text[end] ?? '';
    if (character === '"') return { value, end: end + 1 };
    if (character === '\\' && (text[end + 1] === '"' || text[end + 1] === '\\')) end += 1;
    value += text[end] ?? '';
  }
  return fault(at, text.length - at, 'The quotes are not closed.');
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/u.test(character);
}

function missing(at: number, field: Condition['field']): { readonly fault: FilterFault } {
  const { words } = filterFields[field];
  return fault(at, 1, `${field}: says nothing.${words === undefined ? '' : ` It knows ${words.join(', ')}.`}`);
}

function fault(at: number, length: number, message: string): { readonly fault: FilterFault } {
  return { fault: { at, length, message } };
}

function invalid(at: number, length: number, message: string): ParsedFilter {
  return { kind: 'invalid', ...fault(at, length, message) };
}
