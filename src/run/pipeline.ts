/**
 * The way of a call, as one sentence: an intent is bound to a contract, policy decides, the decision is recorded, the driver performs, the result is recorded.
 *
 *     intent ──► bind ──► judge ──► record ──► (driver: commit, perform) ──► conclude ──► record
 *
 * P1 A move turns into entries and nothing else; whatever is random or new (an id, a draw) is in the entry, so the fold never asks for it again.
 */
import type { Intent } from '../call/intent.ts';
import { argsHashOf } from '../call/args-hash.ts';
import type { Decision } from '../call/decision.ts';
import { failureOf } from '../call/failure.ts';
import type { HistoryCall } from '../call/message.ts';
import { bindCall } from '../contract/bind.ts';
import type { CallDecided, Entry } from '../journal/entry.ts';
import { AxleError } from '../error/axle-error.ts';
import { decisionOf } from '../policy/decision-of.ts';
import { canonicalJson, type JsonValue } from '../util/json.ts';
import { sha256 } from '../util/hash.ts';
import { concludeAttempt } from './call-machine.ts';
import type { Engine } from './engine.ts';
import type { Move } from './next.ts';
import type { RunCode } from './run-code.ts';
import { type CallState, findCall, type RunState, type Turn } from './state.ts';

/** The entries that a move turns into. */
export function entriesOf(
  move: Move,
  state: RunState,
  parts: { readonly engine: Engine; readonly code: RunCode },
): readonly Entry[] {
  switch (move.kind) {
    case 'record':
      return move.entries;
    case 'bind':
      return [bindNext(state, parts.code)];
    case 'judge':
      return [judge(state, openCall(state, move.callId), parts.engine)];
    case 'conclude':
      return conclude(state, openCall(state, move.callId), parts.engine);
    case 'prepare-model':
      return [prepareModel(state, move, parts.code)];
  }
}

function openCall(state: RunState, callId: string): CallState {
  const call = findCall(state, callId);
  if (call === undefined) throw new AxleError('internal', `Call ${callId} is not open.`);
  return call;
}

function intentsOf(turn: Turn): readonly Intent[] {
  return turn.parts.flatMap((part) =>
    part.kind === 'call'
      ? [{ toolCallId: part.toolCallId, toolName: part.toolName, argumentsText: part.argumentsText }]
      : [],
  );
}

/** Binds the next intent of the open turn; it sees what became of those before it. */
function bindNext(state: RunState, code: RunCode): Entry {
  const { turn } = state;
  const intents = turn === undefined ? [] : intentsOf(turn);
  const intent = turn === undefined ? undefined : intents[turn.taken];
  if (turn === undefined || intent === undefined) throw new AxleError('internal', 'There is no intent to bind.');
  const callId = `${turn.step}.${turn.taken}`;
  const refusal = {
    type: 'call-refused',
    callId,
    toolCallId: uniqueId(state, intent.toolCallId, callId),
    toolName: intent.toolName,
    argumentsText: intent.argumentsText,
  } as const;
  const bound = bindCall(intent, {
    callId,
    lookup: (name) => code.contracts.get(name),
    names: code.names,
    truncated: turn.truncated,
  });
  if (bound.kind === 'refused') return { ...refusal, failure: bound.failure };
  const call = { ...bound.call, toolCallId: refusal.toolCallId };
  const repeated = failureOf(
    'call-repeated',
    `The call ${intent.toolCallId} was sent before with the same arguments; its result stands.`,
    { evidence: 'none' },
  );
  // A model's repeated id runs once: within a turn, when a stream sends earlier calls again beside new ones, and always for an effect.
  if (
    intent.toolCallId !== '' &&
    turn.calls.some(
      (other) =>
        other.toolCallId === intent.toolCallId && other.toolName === call.tool && isSame(other.input, call.input),
    )
  ) {
    return { ...refusal, failure: repeated, dropped: true };
  }
  const first = earlier(state, intent);
  if (first !== undefined && first.toolName === call.tool && isSame(first.input, call.input)) {
    if (intents.some((other) => earlier(state, other) === undefined)) {
      return { ...refusal, failure: repeated, dropped: true };
    }
    if (code.contracts.get(call.tool)?.effect !== 'read') return { ...refusal, failure: repeated };
  }
  return { type: 'call-bound', call };
}

function isSame(left: JsonValue, right: JsonValue): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

function earlier(state: RunState, intent: Intent): HistoryCall | undefined {
  return intent.toolCallId === '' ? undefined : state.transcript.callWithId(intent.toolCallId);
}

/** History needs one id for each call; models give none, the same for several, or an old one again. */
function uniqueId(state: RunState, toolCallId: string, callId: string): string {
  const own = callId.replace('.', '_');
  if (toolCallId === '') return `call_${own}`;
  const isTaken =
    state.turn?.calls.some((call) => call.toolCallId === toolCallId) === true ||
    state.transcript.callWithId(toolCallId) !== undefined;
  return isTaken ? `${toolCallId}_${own}` : toolCallId;
}

/** Only a failure may need a draw, and drawing costs more than the rest. */
function conclude(state: RunState, callState: CallState, engine: Engine): readonly Entry[] {
  const hasFailed = callState.phase.kind === 'answered' && callState.phase.result.status === 'failed';
  return concludeAttempt(state, callState, hasFailed ? engine.random.next() : 0);
}

function judge(state: RunState, callState: CallState, engine: Engine): CallDecided {
  const { call, callId } = callState;
  if (call === undefined || state.task === undefined) {
    throw new AxleError('internal', `Call ${callId} cannot be judged before it is bound.`);
  }
  const remembered = new Set([...state.denied, ...state.suspect]);
  const argsHash = remembered.size === 0 ? undefined : (call.argsHash ?? argsHashOf(call));
  const deniedBefore = argsHash !== undefined && state.denied.includes(argsHash);
  const decided = decisionOf(engine.policy, {
    call,
    deniedBefore,
    mayHaveHappenedBefore: argsHash !== undefined && state.suspect.includes(argsHash),
    approvalTtlMs: state.task.kind === 'agent' ? state.task.agent.approvalTtlMs : state.task.approvalTtlMs,
  });
  // Whatever the policy says, a person is not asked again about what a person denied.
  const decision = decided.kind === 'ask' && deniedBefore ? deniedBeforeDecision : decided;
  if (decision.kind !== 'ask') return { type: 'call-decided', callId, decision };
  const approval = {
    approvalId: approvalIdOf(state.runId, callId),
    expiresAtMs: state.nowMs + Math.ceil(decision.expiresAfterMs),
  };
  return { type: 'call-decided', callId, decision, approval };
}

const deniedBeforeDecision: Decision = {
  kind: 'deny',
  rule: 'denied-before',
  reason: 'A person denied this call with these arguments. Do not ask for it again unless the user wants it.',
};

/** A call asks at most once, so run and call name the question; whoever holds the id can find the run. */
export function approvalIdOf(runId: string, callId: string): string {
  return `${runId}/${callId}`;
}

/** 132 bits: written with every model call, compared in replays, never a proof against somebody who can write the journal. */
const contextHashLength = 22;

/** What the model is about to be shown, as a difference to the call before: only items that are new are hashed. (O8) */
function prepareModel(state: RunState, move: Extract<Move, { kind: 'prepare-model' }>, code: RunCode): Entry {
  let { hash } = state.context;
  if (hash === '' && state.task?.kind === 'agent') {
    hash = sha256(state.task.agent.instructions).slice(0, contextHashLength);
  }
  const items = state.transcript.items(state.context.items);
  for (const item of items) hash = sha256(`${hash}${JSON.stringify(item)}`).slice(0, contextHashLength);
  return {
    type: 'model-started',
    step: move.step,
    attempt: move.attempt,
    items: state.transcript.length,
    contextHash: hash,
    ...(code.toolsHash === state.context.toolsHash ? {} : { toolsHash: code.toolsHash }),
  };
}
