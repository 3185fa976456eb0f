/** Reading a journal of any length, page by page. */
import { lastSeqOf, type Append } from './entry.ts';
import { maxReadAppends } from './limits.ts';
import type { Store } from './store.ts';

/** The appends of a run that hold entries after `afterSeq`, in order, to the end of the journal as it is when its last page is read. */
export async function* readAppends(store: Pick<Store, 'read'>, runId: string, afterSeq = 0): AsyncGenerator<Append> {
  let reached = afterSeq;
  for (;;) {
    const page = await store.read(runId, { afterSeq: reached, limit: maxReadAppends });
    for (const append of page) {
      reached = lastSeqOf(append);
      yield append;
    }
    if (page.length < maxReadAppends) return;
  }
}
