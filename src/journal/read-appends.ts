/** Reading a journal of any length, page by page. */
import { lastSeqOf, type Append } from './entry.ts';
import { maxReadAppends } from './limits.ts';
import type { Store } from './store.ts';

/** The appends of a run that hold entries after `afterSeq`, in order, to the end of the journal as it is when its last page is read. */
export async function* readAppends(store: Pick<Store, 'read'>, runId: string, afterSeq = 0): AsyncGenerator<Append> {
  for await (const page of readPages(store, runId, afterSeq)) yield* page;
}

/** The same in pages of at most 1,000 appends, for readers to whom a turn of the loop for each append would be too slow. */
export async function* readPages(
  store: Pick<Store, 'read'>,
  runId: string,
  afterSeq = 0,
): AsyncGenerator<readonly Append[]> {
  let reached = afterSeq;
  for (;;) {
    const page = await store.read(runId, { afterSeq: reached, limit: maxReadAppends });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < maxReadAppends) return;
    reached = lastSeqOf(last);
  }
}
