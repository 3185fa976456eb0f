/**
 * From a journal to a state: the last snapshot, the conversation that it saw, and the appends after it.
 *
 * L1 With or without a snapshot the same journal gives the same state (checked by the simulation for every prefix). (L6)
 * L2 A snapshot is only a cache: one that does not fit its journal, or is of another form, is ignored.
 */
import { AxleError } from '../error/axle-error.ts';
import type { Append } from '../journal/entry.ts';
import type { Snapshot, Store } from '../journal/store.ts';
import { isJsonObject, isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import { evolveAppend } from './evolve.ts';
import { type Conversation, evolveConversation } from './evolve-turn.ts';
import { newState, type RunState } from './state.ts';
import { Transcript } from './transcript.ts';

/** Appends between two snapshots: what a resume folds at most beside the conversation. */
export const appendsPerSnapshot = 64;

/** Form of the snapshots written here. Another number is ignored and written anew. */
export const snapshotVersion = 1;

const pageSize = 1_000;

export interface LoadedRun {
  readonly state: RunState;
  /** Appends since the last usable snapshot. */
  readonly appendsSinceSnapshot: number;
}

/** Reads a run and folds it. Undefined when the store has no entries of it. */
export async function loadRun(store: Store, runId: string): Promise<LoadedRun | undefined> {
  const snapshot = await store.snapshot(runId);
  const control = snapshot === undefined ? undefined : controlOf(snapshot, runId);
  let conversation: Conversation = {
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
  for (;;) {
    const appends = await store.read(runId, { afterSeq, limit: pageSize });
    for (const append of appends) {
      if (state === undefined && control !== undefined && append.firstSeq > control.seq) {
        state = { ...control, transcript: conversation.transcript };
      }
      if (state === undefined) {
        conversation = converse(conversation, append);
      } else {
        state = evolveAppend(state, append);
        appendsSinceSnapshot += 1;
      }
      afterSeq = append.firstSeq + append.entries.length - 1;
    }
    if (appends.length < pageSize) break;
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

function converse(before: Conversation, append: Append): Conversation {
  let conversation = before;
  for (const entry of append.entries) {
    conversation = evolveConversation(conversation, entry, {
      epoch: append.epoch,
      nowMs: append.atMs,
      contracts: conversation.contracts,
    });
  }
  return conversation;
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

// A snapshot was written by this form's own code (L2); beyond its identity it is believed, and the simulation compares it with the full fold.
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
