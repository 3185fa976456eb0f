/** How long and for whom the results of a read are kept. */

/** Who may be given a result: the run that asked, the runs of its session, or every run of the store. */
export type CacheScope = (typeof cacheScopes)[number];

export const cacheScopes = ['run', 'session', 'all'] as const;

export interface CacheTerms {
  /** Milliseconds that a result may be old. */
  readonly ttlMs: number;
  readonly scope: CacheScope;
}
