/** What exactly is different about the contract that holds a run: from the declaration that the store kept when the run was accepted. */
import { changesBetween } from '../contract/compatibility.ts';
import type { RunHeld } from '../journal/entry.ts';
import type { Store } from '../journal/store.ts';
import { isJsonObject, jsonObjectIn } from '../util/json.ts';
import type { Hold } from './run-code.ts';

/** Differences that the reason names; all that are known stand in the details. */
const maxNamed = 3;

/** The entry of a hold, with the fields that have changed where they can be known. */
export async function explainHold({ entry, found }: Hold, store: Store): Promise<RunHeld> {
  const { details } = entry;
  const pinned = isJsonObject(details) ? details['pinned'] : undefined;
  if (found === undefined || typeof pinned !== 'string' || !isJsonObject(details)) return entry;
  // A store that does not answer now leaves the hold unexplained, and nothing else.
  const text = await store.body(pinned).catch(() => undefined);
  const [before, after] = [jsonObjectIn(text ?? ''), jsonObjectIn(found.declaration)];
  const changes = before === undefined || after === undefined ? [] : changesBetween(before, after);
  if (changes.length === 0) return entry;
  const more = changes.length > maxNamed ? '; and more' : '';
  return {
    ...entry,
    reason: `${entry.reason} Different: ${changes.slice(0, maxNamed).join('; ')}${more}.`,
    details: { ...details, changes },
  };
}
