/** What the page asks the server for, each question once. */
import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import type { Page, RunRow, SystemAnswer } from '../../../src/server/wire.ts';
import { askJson, mayPass } from '../wire/request.ts';

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: (count, error) => mayPass(error) && count < 30,
        retryDelay: (count) => Math.min(15_000, 500 * 2 ** count),
        // The browser's word about the network says nothing about a server on this machine.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

export interface RunsFilter {
  readonly state?: string;
  readonly subject?: string;
  readonly session?: string;
}

export const runsQuery = (filter: RunsFilter) =>
  infiniteQueryOptions({
    queryKey: ['runs', filter],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      askJson<Page<RunRow>>(withSearch('/v1/runs', { ...filter, limit: '100', cursor: pageParam }), { signal }),
    getNextPageParam: (page) => page.next,
  });

/** Runs that are offered where one is chosen by name. */
export const recentRunsQuery = queryOptions({
  queryKey: ['recent-runs'],
  queryFn: ({ signal }) => askJson<Page<RunRow>>('/v1/runs?limit=50', { signal }),
});

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => askJson<RunRow>(runPath(runId), { signal }),
  });

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => askJson<SystemAnswer>('/v1/system', { signal }),
  staleTime: 10_000,
});

/** The address of what belongs to a run. */
export function runPath(runId: string, ...parts: readonly string[]): string {
  return ['/v1/runs', runId, ...parts].map((part, index) => (index === 0 ? part : encodeURIComponent(part))).join('/');
}

/** A path with those parameters that say something. */
export function withSearch(path: string, search: Readonly<Record<string, string | number | undefined>>): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '') words.set(name, String(value));
  }
  return words.size === 0 ? path : `${path}?${words.toString()}`;
}
