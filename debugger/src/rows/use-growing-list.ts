/**
 * A list of the server that grows while a run goes on, and whose last items still change.
 *
 * G1 Pages are asked for as they are needed, the first at once.
 * G2 When the run has gone on, only the tail is asked for again, at most once in `quietMs`.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Page } from '../../../src/server/wire.ts';
import { withSearch } from '../app/queries.ts';
import { askJson } from '../wire/request.ts';

export interface GrowingList<Item> {
  /** Undefined until the first page is there. */
  readonly items: readonly Item[] | undefined;
  /** False when there is more to ask for. */
  readonly isWhole: boolean;
  readonly error: unknown;
  readonly more: () => void;
}

const pageSize = 1_000;
/** More than what can still change: the calls of one turn. */
const tailSize = 300;
const quietMs = 1_000;

interface Known<Item> {
  readonly path: string;
  readonly items: readonly Item[] | undefined;
  readonly isWhole: boolean;
  readonly error: unknown;
}

/** @param version Changes whenever there may be something new. */
export function useGrowingList<Item>(path: string, version: number): GrowingList<Item> {
  const nothing: Known<Item> = { path, items: undefined, isWhole: false, error: undefined };
  const [known, setKnown] = useState(nothing);
  const current = known.path === path ? known : nothing;
  const isAsking = useRef(false);

  const load = useCallback(
    async (from: number, signal?: AbortSignal): Promise<void> => {
      if (isAsking.current) return;
      isAsking.current = true;
      try {
        const search = { after: from === 0 ? undefined : from, limit: pageSize };
        const page = await askJson<Page<Item>>(withSearch(path, search), signal === undefined ? {} : { signal });
        setKnown((before) => ({
          path,
          items: [...(before.path === path ? (before.items ?? []) : []).slice(0, from), ...page.items],
          isWhole: page.next === undefined,
          error: undefined,
        }));
      } catch (error) {
        if (signal?.aborted !== true) setKnown((before) => ({ ...before, path, error }));
      } finally {
        isAsking.current = false;
      }
    },
    [path],
  );

  useEffect(() => {
    const controller = new AbortController();
    isAsking.current = false;
    // oxlint-disable-next-line react/set-state-in-effect -- nothing is set before an answer is there.
    void load(0, controller.signal);
    return () => controller.abort();
  }, [load]);

  const count = current.items?.length;
  const { isWhole } = current;
  const seen = useRef(version);
  useEffect(() => {
    if (count === undefined || !isWhole || seen.current === version) return undefined;
    const timer = setTimeout(() => {
      seen.current = version;
      void load(Math.max(0, count - tailSize));
    }, quietMs);
    return () => clearTimeout(timer);
  }, [version, count, isWhole, load]);

  return {
    items: current.items,
    isWhole,
    error: current.error,
    more: () => {
      if (!isWhole && count !== undefined) void load(count);
    },
  };
}
