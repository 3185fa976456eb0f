/** The state of a run after an entry, and what that entry changed in it: what `decide` looked at, as data for people. */
import { AxleError } from '../../error/axle-error.ts';
import { type Append, type EntryType, lastSeqOf } from '../../journal/entry.ts';
import { evolve, passTime } from '../../run/evolve.ts';
import { newState, type RunState } from '../../run/state.ts';
import { type JsonObject, toJson, isJsonObject } from '../../util/json.ts';
import { patchBetween, type PatchOperation } from './json-patch.ts';

export interface StateAt {
  readonly runId: string;
  readonly seq: number;
  readonly epoch: number;
  readonly atMs: number;
  /** The entry that led here. */
  readonly entry: EntryType;
  /**
   * Everything that decisions depend on but what never changes (the task, the contracts): where the model and every open call stand, values of context keys,
   * counts. The conversation stands as its length.
   */
  readonly state: JsonObject;
  /** What the entry changed (RFC 6902). */
  readonly patch: readonly PatchOperation[];
}

/**
 * Folds a run up to an entry.
 * @param appends From the first, with their values whole: some of them set context keys.
 * @throws AxleError `usage-invalid` for an entry that is not in them
 */
export function stateAt(appends: readonly Append[], seq: number): StateAt {
  let state = newState(runIdIn(appends));
  for (const append of appends) {
    const isLast = lastSeqOf(append) >= seq;
    if (isLast && (append.firstSeq > seq || seq < 1)) break;
    // The time of an append passes with its first entry.
    let before = state;
    state = passTime(state, append);
    for (const entry of append.entries) {
      state = evolve(state, entry);
      if (state.seq !== seq) {
        before = state;
        continue;
      }
      const [old, now] = [shownState(before), shownState(state)];
      const { runId, epoch, nowMs } = state;
      return { runId, seq, epoch, atMs: nowMs, entry: entry.type, state: now, patch: patchBetween(old, now) };
    }
  }
  throw new AxleError('usage-invalid', `The run has no entry ${seq}: its entries are 1 to ${state.seq}.`);
}

function runIdIn(appends: readonly Append[]): string {
  const first = appends[0]?.entries[0];
  return first?.type === 'run-accepted' ? first.runId : '';
}

function shownState({ task: _task, contracts: _contracts, transcript, ...control }: RunState): JsonObject {
  const shown = toJson({ ...control, conversation: { items: transcript.length } });
  return isJsonObject(shown) ? shown : {};
}
