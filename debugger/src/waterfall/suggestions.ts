/** What can be written next in a filter: fields, then what may stand after them. */
import { filterFields } from '../../../src/trace/filter/span-filter.ts';
import type { RunTable } from '../table/run-table.ts';

export interface Suggestion {
  /** What the word at the caret becomes. */
  readonly word: string;
  readonly about: string;
}

export interface WordAtCaret {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The word that the caret stands in or behind. */
export function wordAt(text: string, caret: number): WordAtCaret {
  let from = caret;
  while (from > 0 && !/\s/u.test(text[from - 1] ?? ' ')) from -= 1;
  let to = caret;
  while (to < text.length && !/\s/u.test(text[to] ?? ' ')) to += 1;
  return { from, to, text: text.slice(from, to) };
}

const most = 10;

/** Names of the run that is looked at stand among the words where a field takes any. */
export function suggestionsFor({ text }: WordAtCaret, { columns }: RunTable): readonly Suggestion[] {
  const sign = text.startsWith('-') ? '-' : '';
  const word = text.slice(sign.length);
  const colon = word.indexOf(':');
  if (colon < 0) {
    if (word === '') return [];
    return Object.entries(filterFields)
      .filter(([field]) => field.startsWith(word.toLowerCase()))
      .map(([field, { about }]) => ({ word: `${sign}${field}:`, about }));
  }
  const field = word.slice(0, colon);
  // Alternatives stand side by side: the last one is what is being written.
  const value = word.slice(colon + 1);
  const comma = value.lastIndexOf(',') + 1;
  const begun = value.slice(comma).toLowerCase();
  return wordsFor(field, columns)
    .filter((each) => each.toLowerCase().startsWith(begun) && each.toLowerCase() !== begun)
    .slice(0, most)
    .map((each) => ({ word: `${sign}${field}:${value.slice(0, comma)}${each}`, about: '' }));
}

function wordsFor(field: string, columns: RunTable['columns']): readonly string[] {
  switch (field) {
    case 'tool':
      return toolsIn(columns).filter((name) => !/[\s,"]/u.test(name));
    case 'err':
      return columns.errors.all;
    default:
      return Object.hasOwn(filterFields, field) ? (fieldWords(field) ?? []) : [];
  }
}

function fieldWords(field: string): readonly string[] | undefined {
  return Object.entries(filterFields).find(([name]) => name === field)?.[1].words;
}

function toolsIn(columns: RunTable['columns']): readonly string[] {
  const call = columns.kinds.find('call');
  const names = new Set<number>();
  for (let row = 0; row < columns.rowCount; row += 1) {
    if (columns.kind[row] === call) names.add(columns.name[row] ?? 0);
  }
  return [...names].map((name) => columns.names.all[name] ?? '');
}
