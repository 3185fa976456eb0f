/** The runs of the store, newest first, as one long list that is loaded as it is scrolled. */
import './runs.css';
import { skipToken, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { RunCounters, RunRow } from '../../../src/server/wire.ts';
import { countersKey } from '../app/follow-lists.ts';
import { runsQuery, systemQuery } from '../app/queries.ts';
import type { RunsSearch } from '../app/search.ts';
import { useSetting } from '../app/settings.ts';
import { Failed, Loading, Notice } from '../app/states.tsx';
import { useActions } from '../keys/actions.ts';
import { useRowWindow, useSizePx } from '../rows/use-row-window.ts';
import { countText } from '../words/count-text.ts';
import { lineOf } from '../words/foreign.tsx';
import { chosenColumns, tracksOf } from './columns.tsx';
import { ColumnsDialog } from './columns-dialog.tsx';
import { KeptFilters } from './kept-filters-bar.tsx';
import { RunsHead, RunsRow } from './runs-row.tsx';

export function RunsScreen(): React.ReactNode {
  const search = useSearch({ from: '/runs' });
  return (
    <div className="runs">
      <header className="screen-head">
        <h1>Runs</h1>
        <Counters />
        <Narrowing search={search} />
      </header>
      <RunsList search={search} />
    </div>
  );
}

function Counters(): React.ReactNode {
  const { data: system } = useQuery(systemQuery);
  const { data: followed } = useQuery<RunCounters>({ queryKey: countersKey, queryFn: skipToken });
  const counters = followed ?? system?.counters;
  if (counters === undefined) return <ul className="counters" aria-hidden="true" />;
  const more = counters.isComplete ? '' : '+';
  const facts: readonly (readonly [string, number, string, RunsSearch])[] = [
    ['active', counters.active, 'busy', { state: 'active' }],
    ['waiting', counters.waiting, 'calm', { state: 'waiting' }],
    ['need approval', counters.askingApproval, 'warn', { state: 'waiting' }],
    ['need a login', counters.askingAuthorization, 'warn', { state: 'waiting' }],
    ['in doubt', counters.inDoubt, 'doubt', { state: 'waiting' }],
    ['held', counters.held, 'warn', { state: 'held' }],
    ['failed in 24 h', counters.failedLastDay, 'bad', { state: 'ended' }],
  ];
  return (
    <ul className="counters" aria-label="Runs by where they stand">
      {facts.map(([words, count, tone, search]) => (
        <li key={words}>
          <Link to="/runs" search={search} className={count === 0 ? 'counter' : `counter tone-${tone}`}>
            <b className="figure">
              {countText(count)}
              {count === 0 ? '' : more}
            </b>{' '}
            {words}
          </Link>
        </li>
      ))}
    </ul>
  );
}

const states = ['active', 'waiting', 'held', 'ended'] as const;

/** What the list is narrowed to, each part removable. */
function Narrowing({ search }: { readonly search: RunsSearch }): React.ReactNode {
  const navigate = useNavigate({ from: '/runs' });
  const [isChoosing, setChoosing] = useState(false);
  const named = (['subject', 'session'] as const).filter((name) => search[name] !== undefined);
  return (
    <div className="narrowing">
      <label className="unseen" htmlFor="state">
        State
      </label>
      <select
        id="state"
        className="bar-select"
        value={search.state ?? ''}
        onChange={({ target }) => void navigate({ search: { ...search, state: target.value } })}
      >
        <option value="">all states</option>
        {states.map((state) => (
          <option key={state} value={state}>
            {state}
          </option>
        ))}
      </select>
      {named.map((name) => (
        <button
          key={name}
          type="button"
          className="chip"
          aria-label={`Show every ${name} again`}
          onClick={() => void navigate({ search: { ...search, [name]: '' } })}
        >
          {name}: {lineOf(search[name] ?? '', 40)} <span aria-hidden="true">×</span>
        </button>
      ))}
      <KeptFilters search={search} />
      <button type="button" className="chip" onClick={() => setChoosing(true)}>
        Columns
      </button>
      {isChoosing ? <ColumnsDialog onClose={() => setChoosing(false)} /> : undefined}
    </div>
  );
}

function RunsList({ search }: { readonly search: RunsSearch }): React.ReactNode {
  const query = useInfiniteQuery(runsQuery(search));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const choice = useSetting('columns');
  const columns = useMemo(() => chosenColumns(choice), [choice]);
  const boxRef = useRef<HTMLDivElement>(null);
  const rowPx = useSizePx('--row') + 4;
  const coveredPx = useSizePx('--head-row');
  const window = useRowWindow({ count: rows.length, rowPx, boxRef, coveredPx });
  const isNearEnd = window.end >= rows.length - 20;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const [at, setAt] = useListKeys(rows, window, boxRef);

  if (query.isPending) return <Loading what="runs" />;
  if (query.isError && data === undefined) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  if (rows.length === 0) return <NoRuns isNarrowed={Object.keys(search).length > 0} />;
  return (
    <div className="grid-box" ref={boxRef}>
      <div
        role="table"
        aria-label="Runs"
        aria-rowcount={hasNextPage ? -1 : rows.length + 1}
        className={choice === '' ? 'runs-table' : 'runs-table chosen'}
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- properties of our own, which the types of React do not know.
        style={tracksOf(columns) as React.CSSProperties}
      >
        <RunsHead columns={columns} />
        <div role="rowgroup" className="grid-rows" style={{ height: window.heightPx }}>
          {rows.slice(window.first, window.end).map((run, index) => (
            <RunsRow
              key={run.runId}
              run={run}
              columns={columns}
              place={window.first + index}
              topPx={window.topPx + index * rowPx}
              isCurrent={at === window.first + index}
              onFocus={setAt}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The keys of the list. The row that they stand at has the focus, so that Enter and screen readers agree. */
function useListKeys(
  rows: readonly RunRow[],
  window: ReturnType<typeof useRowWindow>,
  boxRef: React.RefObject<HTMLElement | null>,
): readonly [number, (row: number) => void] {
  const navigate = useNavigate();
  const [at, setAt] = useState(0);
  // Several keys may come before a row that they aim at is drawn; each goes on from the one before.
  const aimRef = useRef<number>(undefined);
  const isInside = (): boolean => boxRef.current?.contains(document.activeElement) === true;
  const focus = (place: number, frames: number): void => {
    const link = boxRef.current?.querySelector<HTMLElement>(`[data-row="${place}"] .row-link`);
    if (link !== null && link !== undefined) {
      aimRef.current = undefined;
      link.focus({ preventScroll: true });
    } else if (frames > 0) {
      // Until it is drawn no other row has the focus: Enter opens what the keys aim at.
      if (document.activeElement instanceof HTMLElement && isInside()) document.activeElement.blur();
      requestAnimationFrame(() => {
        if (aimRef.current === place) focus(place, frames - 1);
      });
    }
  };
  const go = (row: number): void => {
    if (rows.length === 0) return;
    const place = Math.max(0, Math.min(rows.length - 1, row));
    aimRef.current = place;
    setAt(place);
    window.reveal(place);
    focus(place, 10);
  };
  const current = (): number => aimRef.current ?? at;
  const isAmong = (): boolean => aimRef.current !== undefined || isInside();
  useActions({
    'row-next': () => go(isAmong() ? current() + 1 : current()),
    'row-previous': () => go(isAmong() ? current() - 1 : current()),
    'page-next': () => go(current() + window.page),
    'page-previous': () => go(current() - window.page),
    'row-first': () => go(0),
    'row-last': () => go(rows.length - 1),
    open: () => {
      const run = rows[current()];
      if (run !== undefined) void navigate({ to: '/runs/$runId', params: { runId: run.runId } });
    },
    filter: () => document.getElementById('state')?.focus(),
  });
  return [at, setAt];
}

function NoRuns({ isNarrowed }: { readonly isNarrowed: boolean }): React.ReactNode {
  if (isNarrowed) {
    return (
      <Notice title="No run fits">
        <p>
          <Link to="/runs">Show all runs</Link>
        </p>
      </Notice>
    );
  }
  return (
    <Notice title="No runs yet">
      <p>Start one; it appears here as soon as it is accepted:</p>
      <pre className="sample">{`axle run AGENT --input "..."          # a run of an agent
axle call TOOL '{"...": "..."}'       # one governed call
curl -X POST ${window.location.origin}/v1/runs \\
  -H 'content-type: application/json' -H 'idempotency-key: first' \\
  -d '{"agent": "AGENT", "input": "..."}'`}</pre>
    </Notice>
  );
}
