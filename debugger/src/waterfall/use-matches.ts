/** The rows that the filter matches, by the language that the command line and the API have too. */
import { useDeferredValue, useMemo } from 'react';
import { matchRows } from '../../../src/trace/filter/match-rows.ts';
import { parseFilter } from '../../../src/trace/filter/span-filter.ts';
import type { RunTable } from '../table/run-table.ts';

export interface Matches {
  /** Undefined without a filter. */
  readonly found: Found | undefined;
  /** What is wrong with the filter, and where. */
  readonly fault: { readonly at: number; readonly length: number; readonly message: string } | undefined;
}

export interface Found {
  readonly rows: Int32Array;
  readonly isMatch: (row: number) => boolean;
  /** 1 for a match and for what it stands in. */
  readonly shown: Uint8Array;
}

const everything: Matches = { found: undefined, fault: undefined };

/** Typing is never held up: what was found for the text before stays until the next is there. */
export function useMatches(table: RunTable, text: string | undefined): Matches {
  const wanted = useDeferredValue(text ?? '');
  const parsed = useMemo(() => parseFilter(wanted), [wanted]);
  return useMemo(() => {
    if (parsed.kind === 'invalid') return { found: undefined, fault: parsed.fault };
    if (parsed.filter.length === 0) return everything;
    const { hits, shown, count } = matchRows(table.columns, parsed.filter);
    const rows = new Int32Array(count);
    let place = 0;
    for (let row = 0; row < hits.length; row += 1) {
      if (hits[row] !== 1) continue;
      rows[place] = row;
      place += 1;
    }
    return { found: { rows, shown, isMatch: (row) => hits[row] === 1 }, fault: undefined };
  }, [table, parsed]);
}
