/** Keeps lists up to date: what the server tells about all runs goes into what was asked before. */
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ListEvent, Page, RunCounters, RunRow } from '../../../src/server/wire.ts';
import { followStream } from '../wire/event-stream.ts';

export const countersKey = ['counters'] as const;

/** Lists are asked for again at most this often, however much happens. */
const quietMs = 1_000;

/** What runs change. */
const listNames = ['runs', 'approvals', 'authorizations', 'doubts'];
/** What another process has, or the same one with other code. */
const processNames = ['system', 'agents', 'tools', 'tool', 'upstreams'];

export function useFollowedLists(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const controller = new AbortController();
    const askAgain = (names: readonly string[]): void => {
      for (const name of names) void queries.invalidateQueries({ queryKey: [name], refetchType: 'active' });
    };
    const refresh = throttled(() => askAgain(listNames), controller.signal);
    let opened = 0;
    void followStream({
      path: '/v1/events',
      signal: controller.signal,
      onState: (state) => {
        if (state !== 'open') return;
        opened += 1;
        // Whoever answers now may be another one: the server was started again, or `axle dev` has loaded what was changed.
        if (opened > 1) askAgain([...processNames, ...listNames]);
      },
      onEvent: ({ data }) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the wire are shared with the server.
        const event = JSON.parse(data) as ListEvent;
        if (event.kind === 'counters') queries.setQueryData<RunCounters>(countersKey, event);
        else if (takeChange(queries, event)) refresh();
      },
    });
    return () => controller.abort();
  }, [queries]);
}

/** Carries a change into the row that a list has. True when the lists have to be asked again: the run is new to them, or stands elsewhere now. */
function takeChange(queries: QueryClient, event: Extract<ListEvent, { kind: 'run-changed' }>): boolean {
  const { runId, seq, state, steps, updatedAtMs, ending } = event;
  const changed: Partial<RunRow> = { seq, state, steps, updatedAtMs, ...(ending === undefined ? {} : { ending }) };
  const before: RunRow[] = [];
  for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: ['runs'] })) {
    const data = queries.getQueryData<InfiniteData<Page<RunRow>>>(queryKey);
    const row = data?.pages.flatMap((page) => page.items).find((each) => each.runId === runId);
    if (data === undefined || row === undefined) continue;
    before.push(row);
    const pages = data.pages.map((page) => ({
      ...page,
      items: page.items.map((each) => (each === row ? { ...row, ...changed } : each)),
    }));
    queries.setQueryData(queryKey, { ...data, pages });
  }
  void queries.invalidateQueries({ queryKey: ['run', runId], exact: true, refetchType: 'active' });
  return before.length === 0 || state !== 'active' || before.some((row) => row.state !== state);
}

function throttled(act: () => void, signal: AbortSignal): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener('abort', () => clearTimeout(timer));
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      act();
    }, quietMs);
  };
}
