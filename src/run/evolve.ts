/**
 * The fold: `evolve(state, entry)` is the same function live and in recovery, and no other code changes a state.
 *
 * V1 Pure: no clock, no randomness, no I/O; equal inputs give equal states.
 * V2 Time only grows: `nowMs` is the largest `atMs` folded.
 * V3 Entries of a run come in order, without a gap, and their epochs never fall (L5).
 */
import type { AttemptResult } from '../call/outcome.ts';
import { findToolsName, foundNames } from '../contract/found-tools.ts';
import { AxleError } from '../error/axle-error.ts';
import type {
  Append,
  ApprovalAnswered,
  AttemptFinished,
  CallCached,
  CallRefused,
  CallSettled,
  ContractMigrated,
  Entry,
  ModelFailed,
  ModelFinished,
  ModelStarted,
  RunAccepted,
} from '../journal/entry.ts';
import type { JsonValue } from '../util/json.ts';
import type { CallRecorded, RunFork } from '../journal/fork-entries.ts';
import { brought, firstBus, publicationsOf, publish } from './data-bus.ts';
import { type Conversation, countCalls, evolveConversation } from './evolve-turn.ts';
import { beginAnew, countInvalid } from './invalid-calls.ts';
import {
  type Bus,
  type CallState,
  findCall,
  type ForkState,
  maxRemembered,
  type ModelPhase,
  type RunState,
  type RunTotals,
} from './state.ts';

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

const idle: ModelPhase = { kind: 'idle' };
const noNames: readonly string[] = [];

/** Folds one entry of the state's own epoch. */
export function evolve(before: RunState, entry: Entry): RunState {
  const conversation = conversationOf(before);
  evolveConversation(conversation, entry, before);
  const { turn, transcript, unplaced, contracts } = conversation;
  const seq = before.seq + 1;
  const totals = counted(before.totals, entry);
  // One copy with all that every entry may change: the state has many fields. Nobody has seen it yet, so what most entries change beside is set in it.
  const state: RunState = { ...before, turn, transcript, unplaced, contracts, seq, totals };
  switch (entry.type) {
    case 'run-accepted':
      return accepted(state, entry);
    case 'run-claimed':
      return state;
    case 'run-held':
      return {
        ...state,
        stage: 'held',
        held: { reason: entry.reason, remedy: entry.remedy, ...(entry.tool === undefined ? {} : { tool: entry.tool }) },
      };
    case 'run-released':
      return { ...state, stage: 'open', held: undefined };
    case 'contract-migrated':
      return { ...state, bus: busUnder(state, entry) };
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
      const model: ModelPhase = {
        kind: 'asking',
        attempt: entry.attempt,
        failures: failuresOf(before.model),
        epoch: state.epoch,
      };
      return Object.assign(state, { step: entry.step, model, context: contextOf(before, entry), found: noNames });
    }
    case 'model-finished':
      return Object.assign(state, { model: idle, fruitlessTurns: fruitlessAfterModel(state, entry) });
    case 'model-failed':
      return { ...state, model: afterModelFailure(before, entry) };
    case 'attempt-finished':
      return isSearch(before, entry) ? { ...state, found: withFound(before.found, entry.result) } : state;
    case 'call-settled':
      return Object.assign(state, {
        suspect: suspects(before, entry),
        fruitlessTurns: 0,
        bus: busAfter(before, state, entry),
      });
    case 'call-cached':
      return { ...state, fruitlessTurns: 0, bus: busAfter(before, state, entry) };
    case 'call-recorded':
      return {
        ...state,
        fruitlessTurns: 0,
        bus: busAfter(before, state, entry),
        suspect: suspects(before, entry),
        ...afterRecorded(before.fork, entry),
      };
    case 'approval-answered':
      return { ...state, denied: refusals(before, entry) };
    case 'call-refused':
      return { ...state, ...invalidAfterRefusal(before, entry), fruitlessTurns: fruitlessAfterRefusal(before, state) };
    case 'call-bound':
      return begunAnew(state, entry.call.tool);
    case 'message-received':
      return begunAnew(state);
    default:
      return state;
  }
}

function conversationOf({ turn, transcript, unplaced, contracts, model, step }: RunState): Conversation {
  return { turn, transcript, unplaced, contracts, modelIsAsked: model.kind === 'asking', step };
}

function accepted(state: RunState, entry: RunAccepted): RunState {
  const { task, traceId, session, durability } = entry;
  const open: RunState = { ...state, stage: 'open', task, traceId, session, durability, bus: firstBus(entry, state) };
  return entry.fork === undefined ? open : forked(open, entry.fork);
}

/** What holds of the steps that a fork shares holds in it too. */
function forked(state: RunState, fork: RunFork): RunState {
  const { of, step, live, recorded, denied, suspect, found, tools, invalidCalls } = fork;
  return {
    ...state,
    step: step - 1,
    fork: { of, live, recorded },
    denied,
    suspect,
    found,
    ...(tools === undefined ? {} : { context: { ...state.context, tools } }),
    ...(invalidCalls === undefined ? {} : { invalidCalls }),
  };
}

/** A recorded result answers one call. */
function afterRecorded(fork: ForkState | undefined, { from }: CallRecorded): Pick<RunState, 'fork'> {
  if (fork === undefined) return {};
  return { fork: { ...fork, recorded: fork.recorded.filter(({ callId }) => callId !== from) } };
}

/** What a call publishes is known from its own entries: the output, and what the run pinned of its contract. */
function busAfter(before: RunState, state: RunState, entry: CallSettled | CallCached | CallRecorded): Bus | undefined {
  if (before.bus === undefined || (entry.type === 'call-settled' && entry.status !== 'succeeded')) return before.bus;
  const call = findCall(before, entry.callId);
  const publications = call === undefined ? undefined : publicationsOf(call, before.contracts);
  if (call === undefined || publications === undefined) return before.bus;
  const output = entry.type === 'call-cached' ? entry.output : settledOutput(call, entry);
  const write = { by: call.callId, tool: call.toolName, seq: state.seq, atMs: state.nowMs };
  return output === undefined ? before.bus : publish(before.bus, { publications, output }, write);
}

function outputOf({ phase }: CallState): JsonValue | undefined {
  if (phase.kind === 'answered' && phase.result.status === 'succeeded') return phase.result.output;
  return phase.kind === 'resolved' && phase.verdict.kind === 'happened' ? phase.verdict.output : undefined;
}

function settledOutput(call: CallState, { outcome }: Pick<CallSettled, 'outcome'>): JsonValue | undefined {
  if (outcome === undefined) return outputOf(call);
  return outcome.status === 'succeeded' ? outcome.output : undefined;
}

function busUnder(state: RunState, { contract, outputs = [] }: ContractMigrated): Bus | undefined {
  if (state.bus === undefined) return undefined;
  const publications = contract.terms.publishes ?? [];
  return brought(state.bus, { tool: contract.name, publications, outputs }, { seq: state.seq, atMs: state.nowMs });
}

function contextOf({ context }: RunState, entry: ModelStarted): RunState['context'] {
  const toolsHash = entry.toolsHash ?? context.toolsHash;
  const tools = entry.tools ?? context.tools;
  return { items: entry.items, hash: entry.contextHash, toolsHash, ...(tools === undefined ? {} : { tools }) };
}

function isSearch(before: RunState, { callId }: AttemptFinished): boolean {
  if (before.task?.kind !== 'agent' || before.task.agent.toolView === undefined) return false;
  return findCall(before, callId)?.toolName === findToolsName;
}

function withFound(found: readonly string[], result: AttemptResult): readonly string[] {
  return result.status === 'succeeded'
    ? [...new Set([...found, ...foundNames(result.output)])].slice(-maxRemembered)
    : found;
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

function invalidAfterRefusal(before: RunState, { tool }: CallRefused): Pick<RunState, 'invalidCalls'> {
  if (tool === undefined) return {};
  return { invalidCalls: countInvalid(before.invalidCalls, tool, before.turn?.step ?? before.step) };
}

function begunAnew(state: RunState, tool?: string): RunState {
  return state.invalidCalls === undefined ? state : { ...state, invalidCalls: beginAnew(state.invalidCalls, tool) };
}

function fruitlessAfterRefusal(before: RunState, after: RunState): number {
  const turnIsClosed = before.turn !== undefined && after.turn === undefined;
  const allRefused = before.turn?.calls.every((call) => call.call === undefined) ?? false;
  return turnIsClosed && allRefused ? before.fruitlessTurns + 1 : before.fruitlessTurns;
}

function suspects(before: RunState, entry: CallSettled | CallRecorded): readonly string[] {
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
