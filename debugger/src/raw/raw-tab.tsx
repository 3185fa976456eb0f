/** The journal of the run, entry by entry, as it is stored: large values stand by their hash. */
import './raw.css';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { EntryRow, Page } from '../../../src/server/wire.ts';
import { runPath, withSearch } from '../app/queries.ts';
import { Failed, Loading } from '../app/states.tsx';
import { useActions } from '../keys/actions.ts';
import { TallList } from '../rows/tall-list.tsx';
import { useChange } from '../run/use-change.ts';
import { useRunView } from '../run/use-run-feed.ts';
import { askJson } from '../wire/request.ts';
import { EntryLine } from './entry-line.tsx';

const pageSize = 200;
/** Entries before the one that a link names. */
const before = 20;

export function RawTab(): React.ReactNode {
  const { table, runId } = useRunView();
  const search = useSearch({ from: '/runs/$runId' });
  const change = useChange();
  const wanted = Number(search.seq ?? 0);
  const [first, setFirst] = useState(Number.isInteger(wanted) ? Math.max(0, wanted - before) : 0);
  const query = useInfiniteQuery({
    queryKey: ['entries', runId, first],
    initialPageParam: first,
    queryFn: ({ pageParam, signal }) =>
      askJson<Page<EntryRow>>(withSearch(runPath(runId, 'entries'), { after: pageParam, limit: pageSize }), { signal }),
    getNextPageParam: (page, _, after) => {
      const last = page.items.at(-1)?.seq ?? after;
      return last < table.columns.seq ? last : undefined;
    },
  });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const place = rows.findIndex(({ seq }) => seq === wanted);
  const go = (seq: number): void => change({ seq: String(Math.max(1, Math.min(table.columns.seq, seq))) });
  useActions({
    'row-next': () => go((wanted || 0) + 1),
    'row-previous': () => go((wanted || 2) - 1),
    'row-first': () => {
      setFirst(0);
      go(1);
    },
    'row-last': () => {
      setFirst(Math.max(0, table.columns.seq - pageSize));
      go(table.columns.seq);
    },
  });
  if (query.data === undefined) {
    return query.error === null ? (
      <Loading what="the entries" />
    ) : (
      <Failed error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = (): void => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  };
  return (
    <div className="view">
      <div className="view-tools">
        {first > 0 ? (
          <button type="button" className="button small" onClick={() => setFirst(Math.max(0, first - pageSize))}>
            Earlier entries
          </button>
        ) : undefined}
        <span className="faint figure">
          {rows.length === 0
            ? 'no entries'
            : `entries ${rows[0]?.seq ?? 0} to ${rows.at(-1)?.seq ?? 0} of ${table.columns.seq}`}
        </span>
      </div>
      <TallList
        label="Entries"
        count={rows.length}
        guessPx={34}
        keyOf={(at) => rows[at]?.seq ?? at}
        shown={place < 0 ? undefined : place}
        onNearEnd={more}
        render={(at) => {
          const row = rows[at];
          return row === undefined ? undefined : (
            <EntryLine
              row={row}
              isSelected={row.seq === wanted}
              onSelect={() => change({ seq: row.seq === wanted ? undefined : String(row.seq) })}
            />
          );
        }}
      />
    </div>
  );
}
