/**
 * Finds tools by what they do, among hundreds, without walking over them: an inverted index over names, descriptions, categories, tags and parameters.
 * Ranking is BM25+ (Lv and Zhai, "Lower-bounding term frequency normalization", CIKM 2011), as MiniSearch computes it.
 */
import MiniSearch from 'minisearch';
import type { Contract } from './contract.ts';

/** A query is cut to this many characters, and of its words the first are searched for: a model may paste a page. */
const maxQueryLength = 500;
const maxQueryWords = 32;

/** A word in the name says more about a tool than one in its description. */
const boosts = { name: 4, category: 2, tags: 2, whenToUse: 1.5, description: 1, parameters: 1 } as const;

/** Words that stand in every request and tell no tool from another. */
const emptyWords = new Set(
  'a an and any are as at be by can do for from have how i in into is it its me my of on one or our please that the their them there this to use using was we what when where which who will with would you your'.split(
    ' ',
  ),
);

export interface ToolSearchOptions {
  /** Most names to give back. */
  readonly limit: number;
  /** Only tools of this category. */
  readonly category?: string;
}

/** The tools that can be searched. */
export interface ToolIndex {
  /** Names of the tools that fit, best first; none when nothing does. The same query over the same tools gives the same names. */
  search(query: string, options: ToolSearchOptions): readonly string[];
}

/** Indexes tools. The work is done at the first search. */
export function toolIndexOf(contracts: readonly Contract[]): ToolIndex {
  let index: MiniSearch | undefined;
  return {
    search: (query, { limit, category }) => {
      index ??= build(contracts);
      const asked = wordsOf(query.slice(0, maxQueryLength)).slice(0, maxQueryWords).join(' ');
      if (asked === '') return [];
      const found = index.search(
        asked,
        category === undefined ? {} : { filter: (result) => result['category'] === category },
      );
      return found.slice(0, limit).map((result) => String(result.id));
    },
  };
}

function build(contracts: readonly Contract[]): MiniSearch {
  const index = new MiniSearch({
    idField: 'name',
    fields: Object.keys(boosts),
    storeFields: ['category'],
    tokenize: wordsOf,
    // The words are made by `wordsOf` already.
    processTerm: (word) => word,
    searchOptions: {
      boost: boosts,
      prefix: (word) => word.length > 3,
      fuzzy: (word) => (word.length > 5 ? 0.2 : false),
      weights: { prefix: 0.4, fuzzy: 0.2 },
    },
  });
  index.addAll(contracts.map(documentOf));
  return index;
}

function documentOf(contract: Contract): Readonly<Record<string, string>> {
  const { properties } = contract.input.json;
  return {
    name: contract.name,
    description: contract.description,
    whenToUse: contract.whenToUse ?? '',
    category: contract.category ?? '',
    tags: contract.tags.join(' '),
    parameters: typeof properties === 'object' && properties !== null ? Object.keys(properties).join(' ') : '',
  };
}

/**
 * The words of a text as they are indexed: `crm.findContacts` and `find_contact` share theirs. Scripts that write no spaces between words (Chinese,
 * Japanese, Korean) are taken in pairs of characters.
 */
export function wordsOf(text: string): string[] {
  const spaced = text
    .replace(/(?<=\p{Ll}|\d)(?=\p{Lu})/gu, ' ')
    .replace(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .toLowerCase();
  const words: string[] = [];
  for (const run of spaced.match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(run)) words.push(...pairsOf(run));
    else if (!emptyWords.has(run)) words.push(stem(run));
  }
  return words;
}

function pairsOf(run: string): readonly string[] {
  const letters = Array.from(run);
  return letters.length === 1 ? letters : letters.slice(1).map((letter, place) => `${letters[place] ?? ''}${letter}`);
}

/** Plurals and their singulars meet; more than that loses more than it finds in names of tools. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}
