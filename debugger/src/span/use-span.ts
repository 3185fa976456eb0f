/** Everything of one span, asked for anew as long as it changes. */
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { SpanDetail } from '../../../src/inspect/span-detail.ts';
import { runPath } from '../app/queries.ts';
import type { RunTable } from '../table/run-table.ts';
import { askJson } from '../wire/request.ts';

export function useSpan(runId: string, { columns }: RunTable, row: number): UseQueryResult<SpanDetail> {
  const id = columns.ids[row] ?? '';
  // What has ended is told once; what is open, with every step of the run.
  const isOpen = (columns.duration[row] ?? 0) < 0;
  return useQuery({
    queryKey: ['span', runId, id, isOpen ? columns.seq : 'ended'],
    queryFn: ({ signal }) => askJson<SpanDetail>(runPath(runId, 'spans', id), { signal }),
    placeholderData: (before) => (before?.row.id === id ? keepPreviousData(before) : undefined),
  });
}
