/** What people are asked, of all kinds, as one list: what expires first stands first. */
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ApprovalItem, AuthorizationItem, DoubtItem, Page } from '../../../src/server/wire.ts';
import { askJson } from '../wire/request.ts';

export type InboxItem =
  | { readonly kind: 'approval'; readonly id: string; readonly item: ApprovalItem }
  | { readonly kind: 'authorization'; readonly id: string; readonly item: AuthorizationItem }
  | { readonly kind: 'doubt'; readonly id: string; readonly item: DoubtItem };

const approvalsQuery = queryOptions({
  queryKey: ['approvals'],
  queryFn: ({ signal }) => askJson<Page<ApprovalItem>>('/v1/approvals', { signal }),
});

const authorizationsQuery = queryOptions({
  queryKey: ['authorizations'],
  queryFn: ({ signal }) => askJson<Page<AuthorizationItem>>('/v1/authorizations', { signal }),
});

const doubtsQuery = queryOptions({
  queryKey: ['doubts'],
  queryFn: ({ signal }) => askJson<Page<DoubtItem>>('/v1/doubts', { signal }),
});

export interface Inbox {
  /** Undefined until all are there. */
  readonly items: readonly InboxItem[] | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
}

export function useInbox(): Inbox {
  const approvals = useQuery(approvalsQuery);
  const authorizations = useQuery(authorizationsQuery);
  const doubts = useQuery(doubtsQuery);
  const items = useMemo(() => {
    const isWhole = approvals.data !== undefined && authorizations.data !== undefined && doubts.data !== undefined;
    if (!isWhole) return undefined;
    const all: readonly InboxItem[] = [
      ...doubts.data.items.map((item) => ({ kind: 'doubt', id: item.id, item }) as const),
      ...approvals.data.items.map((item) => ({ kind: 'approval', id: item.approvalId, item }) as const),
      ...authorizations.data.items.map((item) => ({ kind: 'authorization', id: item.authorizationId, item }) as const),
    ];
    return all.toSorted((a, b) => expiryOf(a) - expiryOf(b));
  }, [approvals.data, authorizations.data, doubts.data]);
  const queries = [approvals, authorizations, doubts];
  return {
    items,
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const query of queries) void query.refetch();
    },
  };
}

/** A doubt never expires, and holds its run up until it is settled: it stands first. */
function expiryOf(item: InboxItem): number {
  return item.kind === 'doubt' ? 0 : item.item.expiresAtMs;
}

/** Asks again what is open. */
export async function refreshInbox(queries: QueryClient): Promise<void> {
  await Promise.all(
    [approvalsQuery, authorizationsQuery, doubtsQuery].map(({ queryKey }) => queries.invalidateQueries({ queryKey })),
  );
}
