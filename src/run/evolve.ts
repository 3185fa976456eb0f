/**
 * The fold: `evolve(state, entry)` is the same function live and in recovery, and no other code changes a state.
 *
 * V1 Pure: no clock, no randomness, no I/O; equal inputs give equal states.
 * V2 Time only grows: `nowMs` is the largest `atMs` folded.
 * V3 Entries of a run come in order, without a gap, and their epochs never fall (L5).
 */
import { AxleError } from '../error/axle-error.ts';
import type {
  Append,
  ApprovalAnswered,
  CallSettled,
  Entry,
  ModelFailed,
  ModelFinished,
  RunAccepted,
} from '../journal/entry.ts';
import { type Conversation, countCalls, evolveConversation } from './evolve-turn.ts';
import { findCall, maxRemembered, type ModelPhase, type RunState, type RunTotals } from './state.ts';

/** Folds one append: its time first, then its entries. */
export function evolveAppend(before: RunState, append: Append): RunState {
  if (append.firstSeq !== before.seq + 1) {
    throw new AxleError(
      'entry-invalid',
      `Run ${before.runId} continues with entry ${append.firstSeq}, but ${before.seq + 1} was due.`,
    );
  }
  if (append.epoch < before.epoch) {
    throw new AxleError(
      'entry-invalid',
      `Run ${before.runId} has an entry of epoch ${append.epoch} after one of epoch ${before.epoch}.`,
    );
  }
  let state = passTime(before, append);
  for (const entry of append.entries) state = evolve(state, entry);
  return state;
}

/** Moves the run's clock to the time of an append, and counts the time as work when somebody was at work in this epoch. */
export function passTime(before: RunState, append: Pick<Append, 'atMs' | 'epoch'>): RunState {
  const nowMs = Math.max(before.nowMs, append.atMs);
  const sameOwner = append.epoch === before.epoch;
  const workMs = sameOwner && isBusy(before) ? before.workMs + (nowMs - before.nowMs) : before.workMs;
  return nowMs === before.nowMs && sameOwner ? before : { ...before, nowMs, workMs, epoch: append.epoch };
}

function isBusy(state: RunState): boolean {
  if (state.model.kind === 'asking') return true;
  return (
    state.turn?.calls.some(
      ({ phase }) => phase.kind === 'attempting' || (phase.kind === 'doubtful' && phase.verify.kind === 'running'),
    ) ?? false
  );
}

/** Folds one entry of the state's own epoch. */
export function evolve(before: RunState, entry: Entry): RunState {
  const next = withConversation(before, entry);
  const state: RunState = { ...next, seq: before.seq + 1, totals: counted(before.totals, entry) };
  switch (entry.type) {
    case 'run-accepted':
      return accepted(state, entry);
    case 'run-claimed':
      return state;
    case 'run-held':
      return { ...state, stage: 'held', held: { reason: entry.reason, remedy: entry.remedy } };
    case 'run-released':
      return { ...state, stage: 'open', held: undefined };
    case 'run-finished':
      return {
        ...state,
        stage: 'ended',
        ending: {
          kind: entry.ending,
          output: entry.output,
          ...(entry.failure === undefined ? {} : { failure: entry.failure }),
        },
      };
    case 'cancel-requested':
      return { ...state, cancel: { reason: entry.reason, ...(entry.by === undefined ? {} : { by: entry.by }) } };
    case 'model-started': {
      const toolsHash = entry.toolsHash ?? state.context.toolsHash;
      const model: ModelPhase = {
        kind: 'asking',
        attempt: entry.attempt,
        failures: failuresOf(before.model),
        epoch: state.epoch,
      };
      return { ...state, step: entry.step, model, context: { items: entry.items, hash: entry.contextHash, toolsHash } };
    }
    case 'model-finished':
      return { ...state, model: { kind: 'idle' }, fruitlessTurns: fruitlessAfterModel(state, entry) };
    case 'model-failed':
      return { ...state, model: afterModelFailure(before, entry) };
    case 'call-settled':
      return { ...state, suspect: suspects(before, entry), fruitlessTurns: 0 };
    case 'approval-answered':
      return { ...state, denied: refusals(before, entry) };
    case 'call-refused':
      return { ...state, fruitlessTurns: fruitlessAfterRefusal(before, state) };
    default:
      return state;
  }
}

function withConversation(before: RunState, entry: Entry): RunState {
  const conversation: Conversation = {
    turn: before.turn,
    transcript: before.transcript,
    unplaced: before.unplaced,
    contracts: before.contracts,
    modelIsAsked: before.model.kind === 'asking',
    step: before.step,
  };
  const { turn, transcript, unplaced, contracts } = evolveConversation(conversation, entry, before);
  return { ...before, turn, transcript, unplaced, contracts };
}

function accepted(state: RunState, entry: RunAccepted): RunState {
  const { task, traceId, session, durability } = entry;
  return { ...state, stage: 'open', task, traceId, session, durability };
}

function afterModelFailure(before: RunState, entry: ModelFailed): ModelPhase {
  if (entry.retryAtMs === undefined) return { kind: 'failed', failure: entry.failure };
  const attempt = before.model.kind === 'asking' ? before.model.attempt : 1;
  return {
    kind: 'backing-off',
    attempt: attempt + 1,
    failures: failuresOf(before.model) + 1,
    dueAtMs: entry.retryAtMs,
  };
}

/** Failed attempts of the model call under way; those that a crash cut off are not failures. */
function failuresOf(model: ModelPhase): number {
  return model.kind === 'asking' || model.kind === 'backing-off' ? model.failures : 0;
}

// Unreadable output counts at once; a turn of calls counts when all of them were refused, which is known when the turn closes.
function fruitlessAfterModel(state: RunState, entry: ModelFinished): number {
  if (entry.unreadable !== undefined) return state.fruitlessTurns + 1;
  return countCalls(entry.parts) === 0 ? 0 : state.fruitlessTurns;
}

function fruitlessAfterRefusal(before: RunState, after: RunState): number {
  const turnIsClosed = before.turn !== undefined && after.turn === undefined;
  const allRefused = before.turn?.calls.every((call) => call.call === undefined) ?? false;
  return turnIsClosed && allRefused ? before.fruitlessTurns + 1 : before.fruitlessTurns;
}

function suspects(before: RunState, entry: CallSettled): readonly string[] {
  const { outcome } = entry;
  const argsHash = findCall(before, entry.callId)?.call?.argsHash;
  const isSuspect =
    argsHash !== undefined &&
    ((outcome?.status === 'failed' && outcome.effectMayHaveHappened) || outcome?.status === 'in-doubt');
  return isSuspect ? remember(before.suspect, argsHash) : before.suspect;
}

function refusals(before: RunState, entry: ApprovalAnswered): readonly string[] {
  return entry.verdict === 'deny' ? remember(before.denied, entry.argsHash) : before.denied;
}

function remember(list: readonly string[], hash: string): readonly string[] {
  return list.includes(hash) ? list : [...list, hash].slice(-maxRemembered);
}

function counted(totals: RunTotals, entry: Entry): RunTotals {
  switch (entry.type) {
    case 'model-finished':
      return {
        ...totals,
        modelCalls: totals.modelCalls + 1,
        inputTokens: totals.inputTokens + (entry.usage.inputTokens ?? 0),
        outputTokens: totals.outputTokens + (entry.usage.outputTokens ?? 0),
      };
    case 'call-bound':
      return { ...totals, calls: totals.calls + 1 };
    case 'attempt-started':
      return { ...totals, attempts: totals.attempts + 1 };
    default:
      return totals;
  }
}
