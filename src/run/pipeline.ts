/**
 * The way of a call, as one sentence: an intent is bound to a contract, policy decides, the decision is recorded, the driver performs, the result is recorded.
 *
 *     intent ──► bind ──► judge ──► record ──► (driver: commit, perform) ──► conclude ──► record
 *
 * P1 A move turns into entries and nothing else; whatever is random or new (an id, a draw) is in the entry, so the fold never asks for it again.
 */
import { callIdOf } from '../call/call-id.ts';
import type { Intent } from '../call/intent.ts';
import { argsHashOf } from '../call/args-hash.ts';
import { identityOf } from '../call/chain.ts';
import type { BoundCall, Call } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import { failureOf } from '../call/failure.ts';
import { isolationOf } from '../call/isolation.ts';
import type { HistoryCall } from '../call/message.ts';
import { bindCall, bindInput } from '../contract/bind.ts';
import type { CallDecided, Entry } from '../journal/entry.ts';
import { AxleError } from '../error/axle-error.ts';
import { decisionOf } from '../policy/decision-of.ts';
import { canonicalJson, jsonObjectIn, type JsonValue } from '../util/json.ts';
import { concludeAttempt } from './call-machine.ts';
import { inputAsWritten } from './data-bus.ts';
import { type Filling, fillFromContext } from './fill-call.ts';
import { orFallBack, standInOutcome } from './fall-back.ts';
import type { Engine } from './engine.ts';
import { toldFailure } from './invalid-calls.ts';
import type { Move } from './next.ts';
import type { RunCode } from './run-code.ts';
import { contextHashOf } from './context-hash.ts';
import type { RecordedResult } from '../journal/fork-entries.ts';
import { type CallState, findCall, type ForkState, type RunState, type Turn } from './state.ts';
import { viewOf } from './tool-view.ts';

/** What a move needs of the engine. */
export type Deciding = Pick<Engine, 'policy' | 'random'>;

/** The entries that a move turns into. `found` is what a look at the kept results brought. */
export function entriesOf(
  move: Move,
  state: RunState,
  parts: { readonly engine: Deciding; readonly code: RunCode; readonly found?: Entry | undefined },
): readonly Entry[] {
  switch (move.kind) {
    case 'record':
      return move.entries;
    case 'begin':
      return [parts.found ?? move.entry];
    case 'bind':
      return [bindNext(state, parts.code)];
    case 'judge':
      return [judgeOrAnswer(state, openCall(state, move.callId), parts.engine)];
    case 'conclude':
      return conclude(state, openCall(state, move.callId), parts);
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
  return turn.parts.filter((part) => part.kind === 'call');
}

/** Binds the next intent of the open turn; it sees what became of those before it. */
function bindNext(state: RunState, code: RunCode): Entry {
  const { turn } = state;
  const intents = turn === undefined ? [] : intentsOf(turn);
  const intent = turn === undefined ? undefined : intents[turn.taken];
  if (turn === undefined || intent === undefined) throw new AxleError('internal', 'There is no intent to bind.');
  const callId = callIdOf(turn.step, turn.taken);
  if (state.task?.kind === 'undo') return bindUndo(intent, callId, code);
  const refusal = {
    type: 'call-refused',
    callId,
    toolCallId: uniqueId(state, intent.toolCallId, callId),
    toolName: intent.toolName,
    argumentsText: intent.argumentsText,
  } as const;
  const bound = bindCall(intent, {
    callId,
    lookup: (name) => code.granted.get(name),
    names: code.names,
    truncated: turn.truncated,
  });
  if (bound.kind === 'refused') {
    const { contract, failure } = bound;
    return contract === undefined
      ? { ...refusal, failure }
      : { ...refusal, tool: contract.name, failure: toldFailure(state, contract, failure) };
  }
  const filling = fill(state, code, { ...bound.call, toolCallId: refusal.toolCallId });
  if (filling.kind === 'refused') return { ...refusal, failure: filling.failure };
  const { call } = filling;
  const written = inputAsWritten(call);
  const repeated = failureOf(
    'call-repeated',
    `The call ${intent.toolCallId} was sent before with the same arguments; its result stands.`,
    { evidence: 'none' },
  );
  // A model's repeated id runs once: within a turn, when a stream sends earlier calls again beside new ones, and always for an effect.
  if (
    intent.toolCallId !== '' &&
    turn.calls.some(
      (other) => other.toolCallId === intent.toolCallId && other.toolName === call.tool && isSame(other.input, written),
    )
  ) {
    return { ...refusal, failure: repeated, dropped: true };
  }
  const first = earlier(state, intent);
  if (first !== undefined && first.toolName === call.tool && isSame(first.input, written)) {
    if (intents.some((other) => earlier(state, other) === undefined)) {
      return { ...refusal, failure: repeated, dropped: true };
    }
    if (code.contracts.get(call.tool)?.effect !== 'read') return { ...refusal, failure: repeated };
  }
  return { type: 'call-bound', call };
}

function fill(state: RunState, code: RunCode, call: BoundCall): Filling {
  const contract = code.contracts.get(call.tool);
  return contract === undefined ? { kind: 'filled', call } : fillFromContext(state, contract, { call, code });
}

/** What an undo is handed was made here and is not a model's: nothing of it is repaired. */
function bindUndo({ toolCallId, toolName, argumentsText }: Intent, callId: string, code: RunCode): Entry {
  const contract = code.granted.get(toolName);
  if (contract === undefined) throw new AxleError('internal', `The undo run has no ${toolName}.`);
  const bound = bindInput(contract, jsonObjectIn(argumentsText) ?? null, { callId, toolCallId });
  return bound.kind === 'bound'
    ? { type: 'call-bound', call: bound.call }
    : { type: 'call-refused', callId, toolCallId, toolName, argumentsText, failure: bound.failure };
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
function conclude(
  state: RunState,
  callState: CallState,
  { engine, code }: { readonly engine: Deciding; readonly code: RunCode },
): readonly Entry[] {
  const output = answerOf(callState);
  if (output === undefined) {
    return orFallBack(concludeAttempt(state, callState, engine.random.next()), { state, callState, code });
  }
  if (callState.call?.link === undefined) return concludeAttempt(state, callState, 0);
  const { callId } = callState;
  const outcome = standInOutcome(callState, output, code);
  return outcome === undefined
    ? [{ type: 'call-settled', callId, status: 'succeeded' }]
    : [{ type: 'call-settled', callId, status: outcome.status, outcome }];
}

/** What a tool that succeeded has answered, or is known to have answered. */
function answerOf({ phase }: CallState): JsonValue | undefined {
  if (phase.kind === 'answered' && phase.result.status === 'succeeded') return phase.result.output;
  return phase.kind === 'resolved' && phase.verdict.kind === 'happened' ? phase.verdict.output : undefined;
}

/**
 * In a fork, a side effect is answered by what became of it in the run that it goes on from. One that has no recorded result is not performed, unless a person
 * allowed that tool when the fork was made. What policy denies is denied first. (O4)
 */
function judgeOrAnswer(state: RunState, callState: CallState, engine: Deciding): Entry {
  const judged = judge(state, callState, engine);
  const { call, callId } = callState;
  if (state.fork === undefined || call === undefined || judged.decision.kind === 'deny') return judged;
  const recorded = recordedFor(state.fork, call);
  if (recorded !== undefined) {
    return { type: 'call-recorded', callId, from: recorded.callId, outcome: recorded.outcome };
  }
  if (call.terms.effect === 'read' || state.fork.live.includes(call.tool)) return judged;
  return { type: 'call-decided', callId, decision: notLive(call.tool, state.fork.of) };
}

function recordedFor({ recorded }: ForkState, call: Call): RecordedResult | undefined {
  if (recorded.length === 0) return undefined;
  const argsHash = call.argsHash ?? argsHashOf(call);
  return recorded.find(({ argsHashes }) => argsHashes.includes(argsHash));
}

function notLive(tool: string, of: string): Decision {
  return {
    kind: 'deny',
    rule: 'fork-not-live',
    reason: `This run is a fork of ${of}, which has no result of this call, and ${tool} was not allowed to be performed in the fork. Nothing was done; go on without it.`,
  };
}

function judge(state: RunState, callState: CallState, engine: Deciding): CallDecided {
  const { call, callId } = callState;
  if (call === undefined || state.task === undefined) {
    throw new AxleError('internal', `Call ${callId} cannot be judged before it is bound.`);
  }
  const remembersNone = state.denied.length === 0 && state.suspect.length === 0;
  const argsHash = remembersNone ? undefined : (call.argsHash ?? argsHashOf(call));
  const deniedBefore = argsHash !== undefined && state.denied.includes(argsHash);
  const decided = decisionOf(engine.policy, {
    call,
    deniedBefore,
    mayHaveHappenedBefore: argsHash !== undefined && state.suspect.includes(argsHash),
    approvalTtlMs: state.task.kind === 'agent' ? state.task.agent.approvalTtlMs : state.task.approvalTtlMs,
    isolation: isolationOf(call.terms.sandbox),
  });
  // Whatever the policy says, a person is not asked again about what a person denied.
  const decision = decided.kind === 'ask' && deniedBefore ? deniedBeforeDecision : decided;
  if (decision.kind !== 'ask') return { type: 'call-decided', callId, decision };
  // A call asks at most once for each tool of its chain, so run and call name the question; whoever holds the id can find the run.
  const approval = {
    approvalId: approvalIdOf(state.runId, call, callState),
    expiresAtMs: state.nowMs + Math.ceil(decision.expiresAfterMs),
  };
  return { type: 'call-decided', callId, decision, approval };
}

const deniedBeforeDecision: Decision = {
  kind: 'deny',
  rule: 'denied-before',
  reason: 'A person denied this call with these arguments. Do not ask for it again unless the user wants it.',
};

/** A call asks at most once under each version of each tool of its chain. */
function approvalIdOf(runId: string, call: Call, { migrations }: CallState): string {
  return `${runId}/${identityOf(call)}${migrations === undefined ? '' : `@${migrations}`}`;
}

/** What the model is about to be shown, as a difference to the call before: only items that are new are hashed. (O8) */
function prepareModel(state: RunState, move: Extract<Move, { kind: 'prepare-model' }>, code: RunCode): Entry {
  const items = state.transcript.items(state.context.items);
  const instructions = state.task?.kind === 'agent' ? state.task.agent.instructions : '';
  const contextHash = contextHashOf({ before: state.context.hash, instructions, items });
  const view = viewOf(state, code);
  const { toolsHash } = view === undefined ? code : code.listOf(view);
  return {
    type: 'model-started',
    step: move.step,
    attempt: move.attempt,
    items: state.transcript.length,
    contextHash,
    ...(toolsHash === state.context.toolsHash ? {} : { toolsHash }),
    ...(view === undefined || view === state.context.tools ? {} : { tools: view }),
  };
}
