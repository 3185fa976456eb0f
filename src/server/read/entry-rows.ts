/** Entries as the API shows them: large values stand in them by name. */
import { placedEntries } from '../../journal/placed-entries.ts';
import type { Store } from '../../journal/store.ts';
import type { EntryRow } from '../wire.ts';

/** Committed entries after a sequence number, at most `limit`. */
export async function entryLinesAfter(
  store: Store,
  runId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly EntryRow[]> {
  const appends = await store.read(runId, { afterSeq: after, limit, bodies: 'reference' });
  return appends
    .flatMap(placedEntries)
    .filter(({ seq }) => seq > after)
    .slice(0, limit);
}
