/**
 * From the journal of a run to the steps that take it back: what its calls did, the last first.
 *
 * J1 A call is taken back with what it ran with and what its tool answered: of a stand-in that is the stand-in's, not what was made of it.
 * J2 Only a call whose effect is known to have happened has a step. One of which that is not known is named as what cannot be taken back; one that changed nothing has none.
 */
import type { Call } from '../call/call.ts';
import type { AttemptResult } from '../call/outcome.ts';
import type { UndoStep } from '../call/undo.ts';
import type { Contract } from '../contract/contract.ts';
import { type Append, isCallEntry } from '../journal/entry.ts';
import { readPages } from '../journal/read-appends.ts';
import type { Store } from '../journal/store.ts';
import type { JsonValue } from '../util/json.ts';
import { evolve, evolveAppend, passTime } from './evolve.ts';
import { type CallState, findCall, newState, type RunState } from './state.ts';

/** A step with the contract that takes it back, where there is one. */
export interface FoundStep {
  readonly step: UndoStep;
  readonly undo?: Contract;
}

/** `contract` finds the tool of a version, with its undo. */
export async function undoSteps(
  store: Store,
  runId: string,
  contract: (name: string, version: number) => Contract | undefined,
): Promise<readonly FoundStep[]> {
  const found: FoundStep[] = [];
  let state = newState(runId);
  for await (const page of readPages(store, runId)) {
    for (const append of page) {
      for (const call of settledBy(state, append)) {
        const step = stepOf(call, contract);
        if (step !== undefined) found.push(step);
      }
      state = evolveAppend(state, append);
    }
  }
  return found.toReversed();
}

/** The calls that an append settles, as they stood right before: the outcome alone does not say what the tool answered. */
function settledBy(before: RunState, append: Append): readonly CallState[] {
  const settled: CallState[] = [];
  let state = passTime(before, append);
  for (const entry of append.entries) {
    const call = isCallEntry(entry) ? findCall(state, entry.callId) : undefined;
    state = evolve(state, entry);
    if (call === undefined || call.phase.kind === 'settled') continue;
    const after = findCall(state, call.callId);
    if (after === undefined || after.phase.kind === 'settled') settled.push(call);
  }
  return settled;
}

function stepOf(
  state: CallState,
  contract: (name: string, version: number) => Contract | undefined,
): FoundStep | undefined {
  const { call } = state;
  if (call === undefined || call.terms.effect === 'read') return undefined;
  const named = { callId: call.callId, tool: call.tool };
  const output = answerOf(state);
  if (output === undefined) {
    const reason = doubtOf(state);
    return reason === undefined ? undefined : { step: { kind: 'unable', ...named, reason } };
  }
  const registered = contract(call.tool, call.toolVersion);
  if (registered === undefined) return { step: { kind: 'unable', ...named, reason: 'tool-missing' } };
  if (registered.undo === undefined) return { step: { kind: 'unable', ...named, reason: 'no-undo' } };
  return { step: takenBack(call, output), undo: registered.undo };
}

function takenBack({ callId, tool, input }: Call, output: JsonValue): UndoStep {
  return { kind: 'undo', callId, tool, input, output };
}

/** What the tool answered, or is known to have answered. */
function answerOf({ phase, evidence }: CallState): JsonValue | undefined {
  if (phase.kind === 'answered' && phase.result.status === 'succeeded') return phase.result.output;
  if (phase.kind === 'resolved' && phase.verdict.kind === 'happened') return phase.verdict.output;
  // A late answer of an earlier attempt says that its effect happened, whatever became of the later ones.
  return successOf(evidence?.result);
}

function successOf(result: AttemptResult | undefined): JsonValue | undefined {
  return result?.status === 'succeeded' ? result.output : undefined;
}

function doubtOf({ phase, mayHaveHappened }: CallState): 'in-doubt' | 'may-have-happened' | undefined {
  if (phase.kind === 'resolved' && phase.verdict.kind === 'told') return 'in-doubt';
  return mayHaveHappened ? 'may-have-happened' : undefined;
}
