/**
 * From a journal to a state: the last snapshot, the conversation that it saw, and the appends after it.
 *
 * N1 With or without a snapshot the same journal gives the same state (checked by the simulation for every prefix). (L6)
 * N2 A snapshot is only a cache: one that does not fit its journal, or is of another form, is ignored.
 */
import { AxleError } from '../error/axle-error.ts';
import { type Append, type Entry, lastSeqOf } from '../journal/entry.ts';
import { readPages } from '../journal/read-appends.ts';
import type { Snapshot, Store } from '../journal/store.ts';
import { isJsonObject, isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import type { EntryOrigin } from './evolve-call.ts';
import { evolveAppend } from './evolve.ts';
import { type Conversation, evolveConversation } from './evolve-turn.ts';
import { newState, type RunState } from './state.ts';
import { Transcript } from './transcript.ts';

/** Appends between two snapshots: what a resume folds at most beside the conversation. */
export const appendsPerSnapshot = 64;

/** Form of the snapshots written here. Another number is ignored and written anew. */
export const snapshotVersion = 3;

export interface LoadedRun {
  readonly state: RunState;
  /** Appends since the last usable snapshot. */
  readonly appendsSinceSnapshot: number;
}

/** Reads a run and folds it. Undefined when the store has no entries of it. */
export async function loadRun(store: Store, runId: string): Promise<LoadedRun | undefined> {
  const snapshot = await store.snapshot(runId);
  const control = snapshot === undefined ? undefined : controlOf(snapshot, runId);
  const conversation: Conversation = {
    turn: undefined,
    transcript: Transcript.empty,
    unplaced: [],
    contracts: [],
    modelIsAsked: false,
    step: 0,
  };
  let state: RunState | undefined = control === undefined ? newState(runId) : undefined;
  let appendsSinceSnapshot = 0;
  let afterSeq = 0;
  for await (const page of readPages(store, runId)) {
    for (const append of page) {
      if (state === undefined && control !== undefined && append.firstSeq > control.seq) {
        state = { ...control, transcript: conversation.transcript };
      }
      if (state === undefined) {
        converse(conversation, append);
      } else {
        state = evolveAppend(state, append);
        appendsSinceSnapshot += 1;
      }
      afterSeq = lastSeqOf(append);
    }
  }
  if (state === undefined && control !== undefined) state = { ...control, transcript: conversation.transcript };
  if (state === undefined || state.seq === 0) return undefined;
  if (state.seq !== afterSeq) {
    throw new AxleError(
      'entry-invalid',
      `Run ${runId} has a snapshot of entry ${state.seq}, but its journal ends at ${afterSeq}.`,
    );
  }
  return { state, appendsSinceSnapshot };
}

function converse(conversation: Conversation, { epoch, atMs: nowMs, entries }: Append): void {
  let origin: EntryOrigin = { epoch, nowMs, contracts: conversation.contracts };
  // By index: what is not compiled yet takes long over an iterator.
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries[index];
    if (entry === undefined || isPassing(entry)) continue;
    const { contracts } = conversation;
    if (contracts !== origin.contracts) origin = { epoch, nowMs, contracts };
    evolveConversation(conversation, entry, origin);
  }
}

/** What leaves no trace in the conversation: a call is settled by what comes after it. Most entries of a long run are of these two kinds. */
function isPassing(entry: Entry): boolean {
  return entry.type === 'attempt-started' || (entry.type === 'call-decided' && entry.decision.kind === 'allow');
}

/** The control part of a state as a snapshot keeps it. */
export function toSnapshot(state: RunState): Snapshot {
  const { transcript: _, ...control } = state;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the control part is JSON data (state.ts); interfaces hide that from the compiler.
  const data = control as typeof control & JsonObject;
  return { seq: state.seq, state: { version: snapshotVersion, control: data } };
}

function controlOf(snapshot: Snapshot, runId: string): Omit<RunState, 'transcript'> | undefined {
  const { state } = snapshot;
  if (!isJsonObject(state) || state['version'] !== snapshotVersion) return undefined;
  const control = state['control'];
  return isControl(control, runId, snapshot.seq) ? control : undefined;
}

// A snapshot was written by this form's own code (N2); beyond its identity it is believed, and the simulation compares it with the full fold.
function isControl(
  value: JsonValue | undefined,
  runId: string,
  seq: number,
): value is JsonValue & Omit<RunState, 'transcript'> {
  return (
    isRecord(value) &&
    value['runId'] === runId &&
    value['seq'] === seq &&
    isRecord(value['model']) &&
    isRecord(value['totals'])
  );
}
