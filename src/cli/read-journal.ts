/** The whole journal of a run. */
import type { Append } from '../journal/entry.ts';
import type { Store } from '../journal/store.ts';

const pageSize = 1_000;

export async function readJournal(store: Store, runId: string): Promise<readonly Append[]> {
  const appends: Append[] = [];
  let afterSeq = 0;
  for (;;) {
    const page = await store.read(runId, { afterSeq, limit: pageSize });
    appends.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return appends;
    afterSeq = last.firstSeq + last.entries.length - 1;
  }
}
