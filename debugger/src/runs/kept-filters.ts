/** Filters of the list of runs that somebody has kept in this browser. What was kept is read with care: anything may stand there. */
import type { RunsSearch } from '../app/search.ts';

export const mostKept = 12;
const names = ['state', 'subject', 'session'] as const;

/** Two filters that say the same are one. */
export function filterText(search: RunsSearch): string {
  return JSON.stringify(names.map((name) => search[name] ?? ''));
}

export function readKept(text: string): readonly RunsSearch[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch {
    return [];
  }
  return Array.isArray(kept) ? kept.flatMap(readOne).slice(0, mostKept) : [];
}

/** The list with this filter at its end, once. The oldest makes room. */
export function keeping(text: string, search: RunsSearch): string {
  return writeKept([...without(text, search), search].slice(-mostKept));
}

export function forgetting(text: string, search: RunsSearch): string {
  return writeKept(without(text, search));
}

function without(text: string, search: RunsSearch): readonly RunsSearch[] {
  return readKept(text).filter((each) => filterText(each) !== filterText(search));
}

function writeKept(searches: readonly RunsSearch[]): string {
  return JSON.stringify(searches.map(filterText).map((words) => JSON.parse(words) as unknown));
}

function readOne(words: unknown): readonly RunsSearch[] {
  if (!Array.isArray(words)) return [];
  const search = Object.fromEntries(
    names.flatMap((name, place) => {
      const word: unknown = words[place];
      return typeof word === 'string' && word !== '' && word.length <= 1_000 ? [[name, word]] : [];
    }),
  );
  return Object.keys(search).length === 0 ? [] : [search];
}
