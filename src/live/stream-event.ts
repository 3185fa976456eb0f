/**
 * What a stream of a run consists of: committed entries, what is not committed yet, and what a reader has to know of its own place.
 *
 * V1 An entry comes once, in order, and none is left out; what comes between entries is provisional: the entry that holds it says it again, whole.
 * V2 Each event has an id. Whoever hands the last one in as `after` gets what comes after it.
 */
import type { Entry } from '../journal/entry.ts';
import type { WaitReason } from '../journal/store.ts';
import type { LiveEvent } from '../run/engine.ts';

/**
 * Why what was shown does not count:
 * - `driver-changed`: a driver has taken the run. What the one before had begun is lost; after a rest, when nothing was under way, it says no more than that.
 * - `model-failed`: the model call failed in the middle; it may be tried again.
 * - `fell-behind`: more was said than is kept, and the reader had not taken it. What is still being written begins anew, or comes with its entry.
 * - `id-unknown`: the journal does not have the event that the reader came with: it was lost with the power, or the store was set back.
 */
export type ResetReason = (typeof resetReasons)[number];

export const resetReasons = ['driver-changed', 'model-failed', 'fell-behind', 'id-unknown'] as const;

/** What is in no entry yet, or never will be in one. */
export type ProvisionalEvent =
  | LiveEvent
  /** The run rests until somebody from outside does something: answers, says what happened, sends a message. */
  | { readonly kind: 'waiting'; readonly on: readonly WaitReason[] };

export type StreamEvent =
  | (StreamedEntry & { readonly kind: 'entry' })
  | (ProvisionalEvent & { readonly id: string })
  /** Everything provisional is void, and so are entries after `id`, where there are any. */
  | { readonly kind: 'reset'; readonly id: string; readonly reason: ResetReason }
  /** The run has ended, and all of it was said. */
  | { readonly kind: 'ended'; readonly id: string };

interface StreamedEntry {
  /** `epoch.seq` */
  readonly id: string;
  readonly seq: number;
  readonly atMs: number;
  readonly entry: Entry;
}
