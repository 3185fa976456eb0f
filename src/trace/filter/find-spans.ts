/** The filter language, applied to a whole run. */
import { AxleError } from '../../error/axle-error.ts';
import { SpanColumns } from '../table/span-columns.ts';
import type { SpanTableBuilder } from '../table/table-builder.ts';
import type { Span, Trace } from '../trace.ts';
import { matchRows } from './match-rows.ts';
import { searchTexts } from './search-text.ts';
import { parseFilter, type SpanFilter } from './span-filter.ts';

export interface FoundSpans {
  /** What was found, in the order of the table. */
  readonly ids: readonly string[];
  /** Places of what was found and of everything above it: `TableQuery.only`. */
  readonly shown: ReadonlySet<number>;
}

/** Reads a filter. @throws AxleError `filter-invalid`, with the place in `details` */
export function readFilter(text: string): SpanFilter {
  const parsed = parseFilter(text);
  if (parsed.kind === 'filter') return parsed.filter;
  const { at, length, message } = parsed.fault;
  throw new AxleError('filter-invalid', `The filter cannot be read at character ${at + 1}: ${message}`, {
    details: { at, length },
  });
}

/** Finds spans by everything that the trace knows of them, inputs and outputs included. */
export function findSpans(builder: SpanTableBuilder, filter: SpanFilter): FoundSpans {
  const columns = new SpanColumns();
  columns.apply(builder.table());
  const { hits, shown } = matchRows(columns, filter, searchTexts(builder.head, builder.parts));
  return {
    ids: columns.ids.filter((_, index) => hits[index] === 1),
    shown: new Set(Array.from(shown.keys()).filter((index) => shown[index] === 1)),
  };
}

/** The trace with those of its parts in which something was found, each of them whole. */
export function onlyFound(trace: Trace, ids: readonly string[]): Trace {
  const found = new Set(ids);
  return { ...trace, parts: trace.parts.filter((part) => holds(part, found)) };
}

function holds(span: Span, found: ReadonlySet<string>): boolean {
  if (found.has(span.id)) return true;
  return 'children' in span && span.children.some((child) => holds(child, found));
}
