/** The limits of a store, the same for every implementation. */

/** Entries in one append. */
export const maxEntriesPerAppend = 1_000;
/** Characters of one append, bodies included. */
export const maxAppendLength = 32 * 1024 * 1024;
/** Characters of the body of one post. */
export const maxPostLength = 4 * 1024 * 1024;
/** Characters of a run id, key, session, subject or unique key. */
export const maxNameLength = 1_000;
/** Appends that one read returns. */
export const maxReadAppends = 1_000;
/** Posts that one look at an inbox returns. */
export const maxPosts = 100;
/** Posts to a run that it has not taken in, above which it takes no more messages; answers and cancellations always have room. */
export const maxUnreadPosts = 1_000;
/** Runs that one listing returns, and what it returns when nothing is said. */
export const maxListedRuns = 1_000;
export const defaultListedRuns = 100;

/** `wanted`, kept between 1 and `max`. */
export function boundedLimit(wanted: number | undefined, fallback: number, max: number): number {
  const limit = wanted ?? fallback;
  return Number.isNaN(limit) ? fallback : Math.max(1, Math.min(max, Math.floor(limit)));
}
