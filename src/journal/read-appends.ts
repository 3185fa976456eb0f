/** Reading a journal of any length, page by page. */
import { lastSeqOf, type Append } from './entry.ts';
import { boundedLimit, maxReadAppends } from './limits.ts';
import type { ReadOptions, Store } from './store.ts';

/** The appends of a run, in order, to the end of the journal as it is when its last page is read. */
export async function* readAppends(
  store: Pick<Store, 'read'>,
  runId: string,
  options: ReadOptions = {},
): AsyncGenerator<Append> {
  for await (const page of readPages(store, runId, options)) yield* page;
}

/** All of them at once, for whoever looks at a run as a whole. */
export async function wholeJournal(store: Pick<Store, 'read'>, runId: string): Promise<readonly Append[]> {
  const appends: Append[] = [];
  for await (const page of readPages(store, runId)) appends.push(...page);
  return appends;
}

/** The same in pages of at most `limit` appends, 1,000 when nothing is said, for readers to whom a turn of the loop for each append would be too slow. */
export async function* readPages(
  store: Pick<Store, 'read'>,
  runId: string,
  options: ReadOptions = {},
): AsyncGenerator<readonly Append[]> {
  const limit = boundedLimit(options.limit, maxReadAppends, maxReadAppends);
  let reached = options.afterSeq ?? 0;
  for (;;) {
    const page = await store.read(runId, { ...options, afterSeq: reached, limit });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    reached = lastSeqOf(last);
  }
}
