/** The feed of the run that is shown, for all of its tabs. */
import { createContext, use, useEffect, useMemo, useSyncExternalStore } from 'react';
import { RunFeed, type RunView } from './run-feed.ts';

export const FeedContext = createContext<RunFeed | undefined>(undefined);

/** A feed for as long as the run is shown. */
export function useOwnFeed(runId: string): { readonly feed: RunFeed; readonly view: RunView } {
  const feed = useMemo(() => new RunFeed(runId), [runId]);
  useEffect(() => {
    void feed.open();
    return () => feed.close();
  }, [feed]);
  return { feed, view: useSyncExternalStore(feed.subscribe, feed.view) };
}

/** What the run around looks like now. */
export function useRunView(): RunView & { readonly runId: string } {
  const feed = use(FeedContext);
  if (feed === undefined) throw new Error('A tab of a run stands outside of a run.');
  return { ...useSyncExternalStore(feed.subscribe, feed.view), runId: feed.runId };
}
