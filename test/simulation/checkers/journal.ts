/** What a journal must be like whatever happens (R4, R5, R6, R24, R29, R32, L13). */
import { builtInDeciders, decide, statusOf } from '../../../src/run/decide.ts';
import { isAlike } from '../../../src/replay/first-difference.ts';
import type { Snapshot } from '../../../src/journal/store.ts';
import type { RunState } from '../../../src/run/state.ts';
import { messageOf } from '../../../src/error/axle-error.ts';
import { canonicalJson, isJsonObject, toJson } from '../../../src/util/json.ts';
import { fold } from '../history/fold.ts';
import type { Committed } from '../history/history.ts';
import type { Evidence } from './evidence.ts';

/** R4: sequence numbers have no gap, and what was once written stays as it was. */
export function* denseAndAppendOnly({ stories, stored }: Evidence): Iterable<string> {
  for (const { runId, appends, isFinal } of stories) {
    for (const { append, previous } of appends) {
      const due = previous === undefined ? 1 : previous.append.firstSeq + previous.append.entries.length;
      if (append.firstSeq !== due) {
        yield `The journal of ${runId} goes on with entry ${append.firstSeq} where ${due} is due.`;
      }
      if (append.entries.length === 0) yield `The journal of ${runId} has an empty append at ${append.firstSeq}.`;
    }
    if (isFinal && stored.get(runId)?.text !== JSON.stringify(appends.map(({ append }) => append))) {
      yield `The journal of ${runId} is not what was written.`;
    }
  }
}

/** R5: epochs never fall, one epoch has one writer, and nobody writes after somebody else has taken the run. */
export function* oneWriter({ stories, history }: Evidence): Iterable<string> {
  for (const { runId, appends } of stories) {
    const writers = new Map<number, string>();
    for (const { append, previous, by, at, lostAt } of appends) {
      if (previous !== undefined && append.epoch < previous.append.epoch) {
        yield `The epoch of ${runId} falls from ${previous.append.epoch} to ${append.epoch}.`;
      }
      const writer = writers.get(append.epoch) ?? by;
      writers.set(append.epoch, writer);
      if (writer !== by) yield `The epoch ${append.epoch} of ${runId} has two writers, ${writer} and ${by}.`;
      const overtaking = history.claims.find(
        (claim) =>
          claim.runId === runId &&
          claim.epoch > append.epoch &&
          claim.at < at &&
          claim.lostAt > at &&
          lostAt > claim.at,
      );
      if (overtaking !== undefined) {
        yield `${by} wrote to ${runId} in epoch ${append.epoch} after ${overtaking.by} had taken it in epoch ${overtaking.epoch}.`;
      }
    }
  }
}

/** R6: the fold of a journal is the state that was live, at every append, with and without a snapshot. */
export function* replayIsPure({ stories, stored }: Evidence): Iterable<string> {
  for (const { runId, appends, isFinal } of stories) {
    let state: RunState | undefined;
    for (const committed of appends) {
      try {
        state = fold(committed);
      } catch (error) {
        yield `The journal of ${runId} cannot be folded at ${committed.append.firstSeq}: ${messageOf(error)}`;
        return;
      }
      if (committed.snapshot !== undefined && !isSnapshotOf(committed.snapshot, committed, state)) {
        yield `The snapshot of ${runId} beside entry ${state.seq} is not the fold of its journal.`;
      }
      if (committed.previous !== undefined && !hasStatusOfFold(state, committed.status)) {
        yield `The status of ${runId} at ${state.seq} is ${JSON.stringify(committed.status)}, which is not what its journal leads to.`;
      }
    }
    const resumed = stored.get(runId)?.resumed;
    if (isFinal && state !== undefined && resumed !== undefined && !isSame(partsOf(resumed), partsOf(state))) {
      yield `Resumed from the store, ${runId} is in another state than its journal says.`;
    }
  }
}

function hasStatusOfFold(state: RunState, status: unknown): boolean {
  const next = decide(state, builtInDeciders);
  // A driver that closes leaves a run in the middle of its moves, due at once.
  if (next.kind === 'advance') return JSON.stringify(status).includes(`"wakeAtMs":${state.nowMs}`);
  return isSame(statusOf(state, next), status);
}

/** A driver's snapshot is of the state after its append, the simulation's own of the state before. */
function isSnapshotOf({ seq, state }: Snapshot, committed: Committed, after: RunState): boolean {
  const control = isJsonObject(state) ? state['control'] : undefined;
  const before = committed.previous === undefined ? undefined : fold(committed.previous);
  const source = [after, before].find((candidate) => candidate?.seq === seq);
  return source !== undefined && isSame(controlOf(source), control);
}

function controlOf(state: RunState): Omit<RunState, 'transcript'> {
  const { transcript: _, ...control } = state;
  return control;
}

function partsOf(state: RunState): readonly unknown[] {
  return [controlOf(state), state.transcript.items()];
}

/** The order of keys says where a value came from, and is no part of it. */
function isSame(a: unknown, b: unknown): boolean {
  return isAlike(a, b) || canonicalJson(toJson(a)) === canonicalJson(toJson(b));
}

/** R24, R23: the time of a run never runs backwards, and nothing that waits for a time happens before it. */
export function* logicalTime({ stories }: Evidence): Iterable<string> {
  for (const { runId, appends, lines, calls } of stories) {
    for (const { append, previous } of appends) {
      if (previous !== undefined && append.atMs < previous.append.atMs) {
        yield `The time of ${runId} runs backwards at entry ${append.firstSeq}.`;
      }
    }
    let modelDueAtMs = -Infinity;
    for (const { entry, from } of lines) {
      if (entry.type === 'model-failed') modelDueAtMs = entry.retryAtMs ?? -Infinity;
      if (entry.type === 'model-started' && from.append.atMs < modelDueAtMs) {
        yield `The model of ${runId} was asked again before it was due.`;
      }
    }
    for (const { callId, lines: own } of calls) {
      let dueAtMs = -Infinity;
      for (const { entry, from } of own) {
        if (entry.type === 'retry-scheduled') dueAtMs = entry.dueAtMs;
        if (entry.type === 'attempt-started' && from.append.atMs < dueAtMs) {
          yield `The call ${runId}/${callId} was tried again before it was due.`;
        }
      }
    }
  }
}

/** R29: a run finishes once, and nothing comes after. */
export function* oneFinish({ stories }: Evidence): Iterable<string> {
  for (const { runId, lines } of stories) {
    const finished = lines.findIndex(({ entry }) => entry.type === 'run-finished');
    if (finished >= 0 && finished !== lines.length - 1) {
      yield `The journal of ${runId} goes on after the run had finished.`;
    }
  }
}

/** R32: nothing that was posted is taken in twice, and nothing is bound twice. */
export function* nothingTwice({ stories }: Evidence): Iterable<string> {
  for (const { runId, lines } of stories) {
    const seen = new Set<string>();
    for (const { entry } of lines) {
      const what =
        entry.type === 'message-received'
          ? `message ${entry.text}`
          : entry.type === 'call-bound'
            ? `call ${entry.call.callId}`
            : entry.type === 'approval-answered'
              ? `answer ${entry.approvalId}`
              : entry.type === 'authorization-answered'
                ? `answer ${entry.authorizationId} for ${entry.callId}`
                : undefined;
      if (what !== undefined && seen.has(what)) yield `The journal of ${runId} holds ${what} twice.`;
      if (what !== undefined) seen.add(what);
    }
  }
}

const maxAppendsPerRun = 1_500;
const maxEntriesPerAppend = 1_000;

/** L13: journals of small runs stay small, whatever befalls them. */
export function* bounded({ stories }: Evidence): Iterable<string> {
  for (const { runId, appends } of stories) {
    if (appends.length > maxAppendsPerRun) yield `The journal of ${runId} has ${appends.length} appends.`;
    if (appends.some(({ append }) => append.entries.length > maxEntriesPerAppend)) {
      yield `The journal of ${runId} has an append of more than ${maxEntriesPerAppend} entries.`;
    }
  }
}
