/** What a replay says. */
import type { EntryType } from '../journal/entry.ts';
import type { JsonValue } from '../util/json.ts';

/**
 * What found a difference:
 * - `decision`: our own functions make another entry of the state before it
 * - `order`: nothing led to the entry, or one is missing that had to come
 * - `fact`: what came from outside does not belong here: an answer to no open question, a result of an attempt that was not made, a hash of something else
 * - `fold`: the entry cannot be folded
 * - `checksum`: the store does not hold what was written
 * - `snapshot`: the kept state of the run is not the fold of its journal
 */
export type ReplayLaw = 'decision' | 'order' | 'fact' | 'fold' | 'checksum' | 'snapshot';

/** The first place at which a recording and its replay part. */
export interface ReplayDifference {
  /** The entry; for `checksum` the first of the append that is not what was written. */
  readonly seq: number;
  readonly step: number;
  readonly law: ReplayLaw;
  readonly type?: EntryType;
  /** JSON Pointer into the entry. */
  readonly path: string;
  /** What the journal says there; absent where it says nothing. */
  readonly recorded?: JsonValue;
  /** What was recomputed; absent where nothing belongs there. */
  readonly recomputed?: JsonValue;
  readonly message: string;
}

/** What could not be recomputed, and why not. */
export interface Unchecked {
  readonly seq: number;
  readonly type: EntryType;
  readonly reason: string;
}

/** One entry of a step, and how it was replayed. */
export interface ReplayedEntry {
  readonly seq: number;
  readonly step: number;
  readonly type: EntryType;
  /** `checked`: recomputed, and the same byte for byte; `taken`: a fact from outside; `unchecked`: could not be recomputed. */
  readonly how: 'checked' | 'taken' | 'unchecked';
}

export interface ReplayReport {
  readonly runId: string;
  readonly isSame: boolean;
  /** Entries that were replayed, up to the first difference. */
  readonly entries: number;
  readonly steps: number;
  /** Entries that were recomputed and are the same byte for byte. */
  readonly checked: number;
  /** Facts from outside: answers of models and tools, people, time. They are taken from the recording, and shape what is recomputed after them. */
  readonly taken: number;
  /** How many entries could not be recomputed. */
  readonly uncheckedCount: number;
  /** The first 100 of them. */
  readonly unchecked: readonly Unchecked[];
  readonly difference?: ReplayDifference;
  /** The entries of the step that was asked for. */
  readonly step?: readonly ReplayedEntry[];
}
