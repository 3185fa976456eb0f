/**
 * The part of the fold that makes the conversation: what the model said, what became of its calls, and the items that both leave behind.
 * It is a fold of its own so that a resume can rebuild the conversation without the rest (`load-run.ts`).
 *
 * H1 An assistant item with calls is followed by one results item with exactly one result for each of its calls, in the order of the calls (L11).
 * H2 Nothing else stands between the two: messages wait in `unplaced` until the turn is closed.
 */
import type { ContractPin } from '../call/pin.ts';
import type { HistoryCall, HistoryResult, ModelPart, TranscriptItem } from '../call/message.ts';
import type { Outcome } from '../call/outcome.ts';
import type { CallRefused, ContractMigrated, Entry, ModelFinished, RunAccepted } from '../journal/entry.ts';
import { AxleError } from '../error/axle-error.ts';
import { cutText } from '../util/cut-text.ts';
import { inputAsWritten } from './data-bus.ts';
import { undoParts } from './undo-parts.ts';
import { callOf, type EntryOrigin, evolveCall, migratedCall } from './evolve-call.ts';
import type { CallState, Turn } from './state.ts';
import type { Transcript } from './transcript.ts';

/** What this fold reads and makes: an object of whoever folds, which is changed, over values that never are. */
export interface Conversation {
  turn: Turn | undefined;
  transcript: Transcript;
  unplaced: readonly string[];
  contracts: readonly ContractPin[];
  modelIsAsked: boolean;
  /** The number of the model call under way or last made. */
  step: number;
}

/** @param origin Its contracts are those of the conversation. */
export function evolveConversation(conversation: Conversation, entry: Entry, origin: EntryOrigin): void {
  switch (entry.type) {
    case 'run-accepted':
      accept(conversation, entry);
      return;
    case 'contract-rebound':
      conversation.contracts = conversation.contracts.map((pin) =>
        pin.name === entry.contract.name ? entry.contract : pin,
      );
      return;
    case 'contract-migrated':
      migrate(conversation, entry);
      return;
    case 'message-received':
      conversation.unplaced = [...conversation.unplaced, entry.text];
      break;
    case 'model-started':
      conversation.modelIsAsked = true;
      conversation.step = entry.step;
      return;
    case 'model-failed':
      conversation.modelIsAsked = false;
      break;
    case 'model-finished':
      conversation.modelIsAsked = false;
      takeAnswer(conversation, entry);
      break;
    default:
      if (conversation.turn === undefined) return;
      conversation.turn = evolveTurn(conversation.turn, entry, origin);
      close(conversation);
  }
  place(conversation);
}

/** The run counts on another version of a tool; the calls that were brought to it start anew, under their own numbers of attempts. */
function migrate(conversation: Conversation, entry: ContractMigrated): void {
  const contracts = conversation.contracts.map((pin) => (pin.name === entry.contract.name ? entry.contract : pin));
  conversation.contracts = contracts;
  const { turn } = conversation;
  if (turn === undefined) return;
  const byId = new Map(entry.calls?.map((call) => [call.callId, call]));
  const byPlace = new Map(entry.intents?.map(({ place, argumentsText }) => [place, argumentsText]));
  let place = -1;
  const parts = turn.parts.map((part) => {
    if (part.kind !== 'call') return part;
    place += 1;
    const argumentsText = byPlace.get(place);
    return argumentsText === undefined ? part : { ...part, argumentsText };
  });
  const calls = turn.calls.map((state) => {
    const bound = byId.get(state.callId);
    return bound === undefined ? state : migratedCall(state, callOf(bound, contracts));
  });
  conversation.turn = { ...turn, parts, calls };
}

function accept(conversation: Conversation, { task, fork }: RunAccepted): void {
  conversation.contracts = task.contracts;
  // What it goes on from is its own history, the words that it was asked with among it.
  if (fork !== undefined) {
    conversation.transcript = fork.history.reduce((view, item) => view.with(item), conversation.transcript);
    conversation.step = fork.step - 1;
    return;
  }
  switch (task.kind) {
    case 'agent':
      conversation.transcript = conversation.transcript.with({ kind: 'user', text: task.input });
      return;
    case 'call':
      conversation.turn = turnOf([singleCall(task.tool, JSON.stringify(task.input))]);
      return;
    case 'undo': {
      const parts = undoParts(task);
      if (parts.length > 0) conversation.turn = turnOf(parts);
    }
  }
}

/** The turn of a run without a model. */
function turnOf(parts: readonly ModelPart[]): Turn {
  return { step: 1, parts, truncated: false, taken: 0, calls: [] };
}

function singleCall(toolName: string, argumentsText: string): ModelPart {
  return { kind: 'call', toolCallId: 'call', toolName, argumentsText };
}

function takeAnswer(conversation: Conversation, entry: ModelFinished): void {
  const { parts, unreadable } = entry;
  if (unreadable === undefined && countCalls(parts) > 0) {
    conversation.turn = {
      step: conversation.step,
      parts,
      truncated: entry.finishReason === 'length',
      taken: 0,
      calls: [],
    };
    return;
  }
  // An answer, or something unreadable that the model is shown together with what was wrong.
  const said = parts.filter((part) => part.kind === 'text' && part.text !== '');
  let { transcript } = conversation;
  if (unreadable === undefined || said.length > 0) {
    transcript = transcript.with({ kind: 'assistant', parts: unreadable === undefined ? parts : said, calls: [] });
  }
  if (unreadable !== undefined) transcript = transcript.with({ kind: 'notice', text: unreadable });
  conversation.transcript = transcript;
}

/** Folds one entry into the open turn. */
function evolveTurn(turn: Turn, entry: Entry, origin: EntryOrigin): Turn {
  switch (entry.type) {
    case 'call-bound': {
      const call = callOf(entry.call, origin.contracts);
      if (placeOf(turn.calls, call.callId) >= 0) {
        throw new AxleError('internal', `Call ${call.callId} was bound twice.`);
      }
      const state: CallState = {
        callId: call.callId,
        toolCallId: call.toolCallId,
        toolName: call.tool,
        call,
        input: inputAsWritten(call),
        phase: { kind: 'bound' },
        attempts: 0,
        lostAttempts: 0,
        mayHaveHappened: false,
        intentIndex: turn.taken,
      };
      return { ...turn, taken: turn.taken + 1, calls: [...turn.calls, state] };
    }
    case 'call-refused':
      return entry.dropped === true
        ? { ...turn, taken: turn.taken + 1 }
        : { ...turn, taken: turn.taken + 1, calls: [...turn.calls, refusedCall(entry, turn.taken)] };
    case 'call-decided':
    case 'approval-answered':
    case 'approval-expired':
    case 'call-admitted':
    case 'admission-refused':
    case 'breaker-changed':
    case 'attempt-started':
    case 'attempt-finished':
    case 'retry-scheduled':
    case 'authorization-requested':
    case 'authorization-answered':
    case 'authorization-expired':
    case 'call-fell-back':
    case 'call-cached':
    case 'call-recorded':
    case 'call-doubted':
    case 'verify-started':
    case 'verify-finished':
    case 'call-resolved':
    case 'evidence-received':
    case 'call-settled':
      return changeCall(turn, entry.callId, (state) => evolveCall(state, entry, origin));
    default:
      return turn;
  }
}

function refusedCall(entry: CallRefused, intentIndex: number): CallState {
  return {
    callId: entry.callId,
    toolCallId: entry.toolCallId,
    // Under the contract's own name the model finds out which of its later calls takes the place of this one.
    toolName: entry.tool ?? entry.toolName,
    // History must carry an object as input; the model's own words stay readable in it.
    input: { unreadable: cutText(entry.argumentsText, 2_000) },
    phase: { kind: 'settled', outcome: { status: 'failed', failure: entry.failure, effectMayHaveHappened: false } },
    attempts: 0,
    lostAttempts: 0,
    mayHaveHappened: false,
    intentIndex,
  };
}

function changeCall(turn: Turn, callId: string, change: (state: CallState) => CallState): Turn {
  const { calls } = turn;
  const place = placeOf(calls, callId);
  const before = calls[place];
  if (before === undefined) {
    throw new AxleError('internal', `An entry names call ${callId}, which is not open in this turn.`);
  }
  const after = change(before);
  return after === before ? turn : { ...turn, calls: calls.length === 1 ? [after] : calls.with(place, after) };
}

function placeOf(calls: readonly CallState[], callId: string): number {
  for (let place = 0; place < calls.length; place += 1) if (calls[place]?.callId === callId) return place;
  return -1;
}

/** A turn whose calls are all settled becomes two items (H1). */
function close(conversation: Conversation): void {
  const { turn } = conversation;
  // Asked in this order: most entries leave a call open.
  if (turn === undefined || !turn.calls.every(isSettled) || turn.taken < countCalls(turn.parts)) return;
  const { parts } = turn;
  const assistant: TranscriptItem = {
    kind: 'assistant',
    parts: partsOf(turn),
    calls: turn.calls.map((call) => historyCallOf(call, parts)),
  };
  conversation.transcript = conversation.transcript
    .with(assistant)
    .with({ kind: 'results', results: turn.calls.map(historyResultOf) });
  conversation.turn = undefined;
}

function isSettled({ phase }: CallState): boolean {
  return phase.kind === 'settled';
}

function historyCallOf(call: CallState, parts: readonly ModelPart[]): HistoryCall {
  const { callId, toolCallId, toolName, input } = call;
  const meta = intentAt(parts, call.intentIndex)?.meta;
  return { callId, toolCallId, toolName, input, ...(meta === undefined ? {} : { meta }) };
}

function historyResultOf(call: CallState): HistoryResult {
  const { callId, toolCallId, toolName } = call;
  return { callId, toolCallId, toolName, outcome: outcomeOf(call), ...standInOf(call) };
}

/** The call part at a place among the calls of an answer. */
function intentAt(parts: readonly ModelPart[], intentIndex: number): ModelPart | undefined {
  let left = intentIndex;
  for (const part of parts) {
    if (part.kind !== 'call') continue;
    if (left === 0) return part;
    left -= 1;
  }
  return undefined;
}

/** The model's parts in their order, each call under its unique id; dropped repetitions are gone. */
function partsOf({ parts, calls }: Turn): readonly ModelPart[] {
  let intentIndex = -1;
  const placed = parts.map((part) => {
    if (part.kind !== 'call') return part;
    intentIndex += 1;
    return placedPart(part, callAt(calls, intentIndex));
  });
  // Nearly always these are the parts as they came: then they are not kept twice.
  return placed.every((part, index) => part === parts[index]) ? parts : placed.filter((part) => part !== undefined);
}

function placedPart(part: ModelPart, call: CallState | undefined): ModelPart | undefined {
  if (call === undefined || part.kind !== 'call') return undefined;
  return call.toolCallId === part.toolCallId ? part : { ...part, toolCallId: call.toolCallId };
}

function callAt(calls: readonly CallState[], intentIndex: number): CallState | undefined {
  return calls.find((call) => call.intentIndex === intentIndex);
}

function standInOf({ call }: CallState): { readonly standIn?: string } {
  return call?.link === undefined ? {} : { standIn: call.tool };
}

function outcomeOf(call: CallState): Outcome {
  if (call.phase.kind === 'settled') return call.phase.outcome;
  throw new AxleError('internal', `Call ${call.callId} is not settled.`);
}

/** How many calls a model's answer holds. */
export function countCalls(parts: readonly ModelPart[]): number {
  return parts.reduce((count, part) => (part.kind === 'call' ? count + 1 : count), 0);
}

/** Messages enter the conversation only where they part no call from its result (H2). */
function place(conversation: Conversation): void {
  const { unplaced, turn, modelIsAsked } = conversation;
  if (unplaced.length === 0 || turn !== undefined || modelIsAsked) return;
  let { transcript } = conversation;
  for (const text of unplaced) transcript = transcript.with({ kind: 'user', text });
  conversation.transcript = transcript;
  conversation.unplaced = [];
}
