/**
 * Which rows of a table a filter finds: one scan over numbers, with every word looked up once. Debuggers import this file as it is.
 */
import type { SpanColumns } from '../table/span-columns.ts';
import { errorStatuses, markerBit, markerNames } from '../table/span-table.ts';
import type { Comparison, Condition, NumberField, SpanFilter } from './span-filter.ts';

export interface FoundRows {
  /** 1 for a row that is found. */
  readonly hits: Uint8Array;
  /** 1 for a row that is found or holds one that is: what a tree shows. */
  readonly shown: Uint8Array;
  /** How many are found. */
  readonly count: number;
}

/** More text of a row than its name, its id and its failure: input and output, where they are at hand. */
export type TextOf = (id: string) => string | undefined;

/** Finds rows. An empty filter finds all. */
export function matchRows(columns: SpanColumns, filter: SpanFilter, textOf?: TextOf): FoundRows {
  const { rowCount, parent } = columns;
  const hits = new Uint8Array(rowCount);
  const shown = new Uint8Array(rowCount);
  const tests = filter.map((term) => ({ holds: testOf(term, columns, textOf), isNegative: term.isNegative }));
  let count = 0;
  for (let index = 0; index < rowCount; index += 1) {
    if (!tests.every(({ holds, isNegative }) => holds(index) !== isNegative)) continue;
    hits[index] = 1;
    count += 1;
  }
  // Parents stand before their children, so one way back marks them all.
  for (let index = rowCount - 1; index >= 0; index -= 1) {
    if (hits[index] === 1) shown[index] = 1;
    const above = parent[index] ?? -1;
    if (shown[index] === 1 && above >= 0) shown[above] = 1;
  }
  return { hits, shown, count };
}

type Test = (index: number) => boolean;

function testOf(condition: Condition, columns: SpanColumns, textOf: TextOf | undefined): Test {
  switch (condition.field) {
    case 'kind': {
      const found = placesOf(columns.kinds.all, (kind) => condition.words.some((word) => isKind(kind, word)));
      return (index) => found.has(columns.kind[index] ?? -1);
    }
    case 'status': {
      const found = placesOf(columns.statuses.all, (status) => condition.words.some((word) => isStatus(status, word)));
      return (index) => found.has(columns.status[index] ?? -1);
    }
    case 'is':
      return anyOf(condition.words.map((word) => isTest(word, columns)));
    case 'has': {
      const bits = markerNames.reduce((all, name) => (condition.words.includes(name) ? all | markerBit(name) : all), 0);
      const wantsError = condition.words.includes('error');
      return (index) =>
        ((columns.markers[index] ?? 0) & bits) !== 0 || (wantsError && (columns.error[index] ?? -1) >= 0);
    }
    case 'tool':
      return toolTest(condition.words, columns);
    case 'err': {
      // What people call a timeout is called so by no code.
      const patterns = condition.words.map((word) => patternOf(`*${word === 'timeout' ? 'timed-out' : word}*`));
      const found = placesOf(columns.errors.all, (code) => patterns.some((pattern) => pattern.test(code)));
      return (index) => found.has(columns.error[index] ?? -1);
    }
    case 'id': {
      const patterns = condition.words.map(patternOf);
      return (index) => patterns.some((pattern) => pattern.test(columns.ids[index] ?? ''));
    }
    case 'text':
      return textTest(condition.text, columns, textOf);
    default:
      return numberTest(condition, columns);
  }
}

function isKind(kind: string, word: string): boolean {
  return kind === word || (word === 'wait' && kind.startsWith('wait-'));
}

function isStatus(status: string, word: string): boolean {
  return status === word || (word === 'error' && errorStatuses.some((each) => each === status));
}

function isTest(word: string, columns: SpanColumns): Test {
  switch (word) {
    case 'open':
      return (index) => columns.duration[index] === -1;
    case 'ended':
      return (index) => columns.duration[index] !== -1;
    default: {
      const status = word === 'running' ? 'open' : word;
      return testOf({ field: 'status', words: [status] }, columns, undefined);
    }
  }
}

/** A call, and all that is in it: parents stand before their children, so what holds for them is known. */
function toolTest(words: readonly string[], columns: SpanColumns): Test {
  const patterns = words.map(patternOf);
  const names = placesOf(columns.names.all, (name) => patterns.some((pattern) => pattern.test(name)));
  const [call, standIn] = [columns.kinds.find('call'), columns.kinds.find('stand-in')];
  const within = new Uint8Array(columns.rowCount);
  for (let index = 0; index < columns.rowCount; index += 1) {
    const kind = columns.kind[index];
    const isNamed = (kind === call || kind === standIn) && names.has(columns.name[index] ?? -1);
    if (isNamed || within[columns.parent[index] ?? -1] === 1) within[index] = 1;
  }
  return (index) => within[index] === 1;
}

function textTest(text: string, columns: SpanColumns, textOf: TextOf | undefined): Test {
  const wanted = text.toLowerCase();
  const holds = (found: string): boolean => found.toLowerCase().includes(wanted);
  const names = placesOf(columns.names.all, holds);
  const errors = placesOf(columns.errors.all, holds);
  return (index) => {
    if (names.has(columns.name[index] ?? -1) || errors.has(columns.error[index] ?? -1)) return true;
    const id = columns.ids[index] ?? '';
    return holds(id) || (textOf !== undefined && holds(textOf(id) ?? ''));
  };
}

function numberTest(
  {
    field,
    comparison,
    value,
  }: { readonly field: NumberField; readonly comparison: Comparison; readonly value: number },
  columns: SpanColumns,
): Test {
  const holds = comparisonTest(comparison, value);
  switch (field) {
    case 'attempts':
      return (index) => holds(columns.attempts[index] ?? 0);
    case 'step':
      return (index) => holds(columns.step[index] ?? 0);
    case 'at':
      return (index) => holds(columns.start[index] ?? 0);
    case 'tokens':
      return (index) => holds((columns.inputTokens[index] ?? 0) + (columns.outputTokens[index] ?? 0));
    case 'dur': {
      const nowMs = columns.lastMs - columns.startMs;
      return (index) => {
        const duration = columns.duration[index] ?? 0;
        return holds(duration === -1 ? nowMs - (columns.start[index] ?? 0) : duration);
      };
    }
  }
}

function comparisonTest(comparison: Comparison, value: number): (found: number) => boolean {
  switch (comparison) {
    case '>':
      return (found) => found > value;
    case '>=':
      return (found) => found >= value;
    case '<':
      return (found) => found < value;
    case '<=':
      return (found) => found <= value;
    case '=':
      return (found) => found === value;
  }
}

function anyOf(tests: readonly Test[]): Test {
  return (index) => tests.some((test) => test(index));
}

function placesOf(words: readonly string[], holds: (word: string) => boolean): ReadonlySet<number> {
  return new Set(words.flatMap((word, place) => (holds(word) ? [place] : [])));
}

/** `*` stands for any characters; everything else for itself, whatever its case. Matched in steps, so that no pattern is slow. */
function patternOf(word: string): { readonly test: (text: string) => boolean } {
  const pieces = word.toLowerCase().split('*');
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  return {
    test: (text) => {
      const found = text.toLowerCase();
      if (pieces.length === 1) return found === first;
      if (!found.startsWith(first)) return false;
      let at = first.length;
      for (const piece of pieces.slice(1, -1)) {
        const next = found.indexOf(piece, at);
        if (next === -1) return false;
        at = next + piece.length;
      }
      return found.length - last.length >= at && found.endsWith(last);
    },
  };
}
