/**
 * Where an entry may hold something large. Only these places are looked at when bodies are taken out and put back, so that
 * encoding costs nothing for the many entries that are small.
 *
 * P1 The places belong to a format version. A place may be added at any time; removing one needs a new format version, since appends in
 *    the store refer to bodies from it.
 */
import type { EntryType } from './entry.ts';
import { isRecord } from '../util/json.ts';

/** A path of keys from the entry to a value. */
export type BodyPlace = readonly string[];
/** The places of each entry type; a type that is not named has none. */
export type BodyPlaces = Readonly<Record<string, readonly BodyPlace[]>>;

/** The places of the current format version. */
export const bodyPlaces: BodyPlaces = {
  'run-accepted': [
    ['task', 'agent', 'instructions'],
    ['task', 'agent', 'settings'],
    ['task', 'contracts'],
    ['task', 'input'],
    ['context'],
    ['fork', 'history'],
    ['fork', 'recorded'],
    ['task', 'steps'],
  ],
  'run-held': [['details']],
  'contract-migrated': [['calls'], ['intents'], ['outputs']],
  'run-finished': [['output'], ['failure']],
  'model-finished': [['parts']],
  'model-failed': [['failure']],
  'call-bound': [
    ['call', 'input'],
    ['call', 'repairs'],
  ],
  'call-refused': [['argumentsText'], ['failure']],
  'approval-answered': [['edited', 'input'], ['edited', 'repairs'], ['note']],
  'attempt-finished': [
    ['result', 'output'],
    ['result', 'failure'],
    ['result', 'drift', 'raw'],
  ],
  'evidence-received': [
    ['result', 'output'],
    ['result', 'failure'],
    ['result', 'drift', 'raw'],
  ],
  'call-fell-back': [
    ['call', 'input'],
    ['call', 'repairs'],
  ],
  'call-cached': [['output']],
  'call-recorded': [
    ['outcome', 'output'],
    ['outcome', 'failure'],
  ],
  'authorization-answered': [['note']],
  'verify-finished': [['verdict', 'output'], ['failure']],
  'call-resolved': [['verdict', 'output'], ['note']],
  'call-settled': [
    ['outcome', 'output'],
    ['outcome', 'failure'],
  ],
  'message-received': [['text']],
  'cancel-requested': [['reason']],
  'post-refused': [['failure']],
} satisfies Partial<Record<EntryType, readonly BodyPlace[]>>;

/** The entry with `change` applied to each of its places that exists; the same object when nothing changed. Key order is kept. */
export function changeBodies(
  entry: Readonly<Record<string, unknown>>,
  places: BodyPlaces,
  change: (value: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  const type = entry['type'];
  if (typeof type !== 'string' || !Object.hasOwn(places, type)) return entry;
  let changed: unknown = entry;
  for (const place of places[type] ?? []) changed = changeAt(changed, place, change);
  return isRecord(changed) ? changed : entry;
}

function changeAt(node: unknown, place: BodyPlace, change: (value: unknown) => unknown): unknown {
  const [key, ...rest] = place;
  if (key === undefined) return change(node);
  if (!isRecord(node) || !Object.hasOwn(node, key)) return node;
  const before = node[key];
  const after = changeAt(before, rest, change);
  return after === before ? node : { ...node, [key]: after };
}
