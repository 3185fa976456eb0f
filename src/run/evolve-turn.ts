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

/** What this fold reads and makes. */
export interface Conversation {
  readonly turn: Turn | undefined;
  readonly transcript: Transcript;
  readonly unplaced: readonly string[];
  readonly contracts: readonly ContractPin[];
  readonly modelIsAsked: boolean;
  /** The number of the model call under way or last made. */
  readonly step: number;
}

export function evolveConversation(
  before: Conversation,
  entry: Entry,
  { epoch, nowMs }: Omit<EntryOrigin, 'contracts'>,
): Conversation {
  switch (entry.type) {
    case 'run-accepted':
      return accepted(before, entry);
    case 'contract-rebound':
      return {
        ...before,
        contracts: before.contracts.map((pin) => (pin.name === entry.contract.name ? entry.contract : pin)),
      };
    case 'contract-migrated':
      return migrated(before, entry);
    case 'message-received':
      return placed({ ...before, unplaced: [...before.unplaced, entry.text] });
    case 'model-started':
      return { ...before, modelIsAsked: true, step: entry.step };
    case 'model-failed':
      return placed({ ...before, modelIsAsked: false });
    case 'model-finished':
      return placed(afterModel({ ...before, modelIsAsked: false }, entry));
    default:
      return before.turn === undefined
        ? before
        : placed(
            closed(withTurn(before, evolveTurn(before.turn, entry, { epoch, nowMs, contracts: before.contracts }))),
          );
  }
}

/** The run counts on another version of a tool; the calls that were brought to it start anew, under their own numbers of attempts. */
function migrated(before: Conversation, entry: ContractMigrated): Conversation {
  const contracts = before.contracts.map((pin) => (pin.name === entry.contract.name ? entry.contract : pin));
  const { turn } = before;
  if (turn === undefined) return { ...before, contracts };
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
  return { ...before, contracts, turn: { ...turn, parts, calls } };
}

function withTurn(conversation: Conversation, turn: Turn): Conversation {
  return turn === conversation.turn ? conversation : { ...conversation, turn };
}

function accepted(before: Conversation, { task, fork }: RunAccepted): Conversation {
  const { contracts } = task;
  // What it goes on from is its own history, the words that it was asked with among it.
  if (fork !== undefined) {
    const transcript = fork.history.reduce((view, item) => view.with(item), before.transcript);
    return { ...before, contracts, transcript, step: fork.step - 1 };
  }
  switch (task.kind) {
    case 'agent':
      return { ...before, contracts, transcript: before.transcript.with({ kind: 'user', text: task.input }) };
    case 'call':
      return { ...before, contracts, turn: turnOf([singleCall(task.tool, JSON.stringify(task.input))]) };
    case 'undo': {
      const parts = undoParts(task);
      return parts.length === 0 ? { ...before, contracts } : { ...before, contracts, turn: turnOf(parts) };
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

function afterModel(before: Conversation, entry: ModelFinished): Conversation {
  if (entry.unreadable === undefined && countCalls(entry.parts) > 0) {
    return {
      ...before,
      turn: { step: before.step, parts: entry.parts, truncated: entry.finishReason === 'length', taken: 0, calls: [] },
    };
  }
  // An answer, or something unreadable that the model is shown together with what was wrong.
  const said = entry.parts.filter((part) => part.kind === 'text' && part.text !== '');
  let transcript = before.transcript;
  if (entry.unreadable === undefined || said.length > 0) {
    transcript = transcript.with({
      kind: 'assistant',
      parts: entry.unreadable === undefined ? entry.parts : said,
      calls: [],
    });
  }
  if (entry.unreadable !== undefined) transcript = transcript.with({ kind: 'notice', text: entry.unreadable });
  return { ...before, transcript };
}

/** Folds one entry into the open turn. */
function evolveTurn(turn: Turn, entry: Entry, origin: EntryOrigin): Turn {
  switch (entry.type) {
    case 'call-bound': {
      const call = callOf(entry.call, origin.contracts);
      const existing = turn.calls.findIndex((state) => state.callId === call.callId);
      if (existing >= 0) throw new AxleError('internal', `Call ${call.callId} was bound twice.`);
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
  const place = turn.calls.findIndex((state) => state.callId === callId);
  const before = turn.calls[place];
  if (before === undefined) {
    throw new AxleError('internal', `An entry names call ${callId}, which is not open in this turn.`);
  }
  const after = change(before);
  return after === before ? turn : { ...turn, calls: turn.calls.with(place, after) };
}

/** A turn whose calls are all settled becomes two items (H1). */
function closed(conversation: Conversation): Conversation {
  const { turn } = conversation;
  // Asked in this order: most entries leave a call open.
  if (
    turn === undefined ||
    !turn.calls.every((call) => call.phase.kind === 'settled') ||
    turn.taken < countCalls(turn.parts)
  ) {
    return conversation;
  }
  const intents = turn.parts.filter((part) => part.kind === 'call');
  const calls: HistoryCall[] = [];
  const results: HistoryResult[] = [];
  for (const call of turn.calls) {
    const meta = intents[call.intentIndex]?.meta;
    const named = { callId: call.callId, toolCallId: call.toolCallId, toolName: call.toolName };
    calls.push({ ...named, input: call.input, ...(meta === undefined ? {} : { meta }) });
    results.push({ ...named, outcome: outcomeOf(call), ...standInOf(call) });
  }
  const assistant: TranscriptItem = { kind: 'assistant', parts: partsOf(turn), calls };
  return {
    ...conversation,
    turn: undefined,
    transcript: conversation.transcript.with(assistant).with({ kind: 'results', results }),
  };
}

/** The model's parts in their order, each call under its unique id; dropped repetitions are gone. */
function partsOf(turn: Turn): readonly ModelPart[] {
  let intentIndex = -1;
  return turn.parts.flatMap((part): readonly ModelPart[] => {
    if (part.kind !== 'call') return [part];
    intentIndex += 1;
    const call = turn.calls.find((state) => state.intentIndex === intentIndex);
    return call === undefined ? [] : [{ ...part, toolCallId: call.toolCallId }];
  });
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
function placed(conversation: Conversation): Conversation {
  if (conversation.unplaced.length === 0 || conversation.turn !== undefined || conversation.modelIsAsked) {
    return conversation;
  }
  let { transcript } = conversation;
  for (const text of conversation.unplaced) transcript = transcript.with({ kind: 'user', text });
  return { ...conversation, transcript, unplaced: [] };
}
