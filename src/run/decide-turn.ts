/**
 * What the open turn does next: bind what the model asked for, then bring every call to its settlement.
 *
 * O1 Calls begin in the order in which the model gave them. Reads (and calls declared parallel) overlap; any other call begins only when every call before it
 *    is settled, and nothing after it begins before it is settled. (R26)
 *    A call that comes back after its doubt waits for what is under way, whatever its place.
 * O2 The same call twice in a turn (tool and arguments) is judged only once the first is settled: what became of that one decides about the second. (D2, D3)
 * O4 An intent whose needs an earlier call of the turn may still bring is bound once that call is settled, and those after it with it. (T15)
 * O3 A doubt blocks the finish of the turn, never its siblings. (R11)
 * O5 A call that is admitted has its turn, and counts as under way; of two that were admitted the earlier one begins first. At most
 *    `maxAdmitting` calls of a run wait at one upstream, or for locks alone, so that none fills a queue.
 */
import type { WaitReason } from '../journal/store.ts';
import { parseSelector, type Selector } from '../call/selector.ts';
import { isAdmitted } from './admitted.ts';
import { type CallStep, stepOf } from './call-machine.ts';
import { countCalls } from './evolve-turn.ts';
import { lookUp, publicationsOf } from './data-bus.ts';
import type { Move, Next, Work } from './next.ts';
import type { CallState, RunState, Turn } from './state.ts';

/** Calls of one run that wait for one upstream at a time; the others wait in the run. */
export const maxAdmitting = 8;

export function decideTurn(state: RunState, turn: Turn): Next {
  if (turn.taken < countCalls(turn.parts) && !waitsForContext(state, turn)) {
    return { kind: 'advance', moves: [{ kind: 'bind' }] };
  }
  return decideCalls(state, turn);
}

/** What the calls do next that are bound already. */
export function decideCalls(state: RunState, turn: Turn): Next {
  const moves: Move[] = [];
  const work: Work[] = [];
  const waitingOn: WaitReason[] = [];
  let wakeAtMs = Infinity;
  let admitting: Map<string, number> | undefined;
  let before: 'nothing' | 'only-parallel' | 'barrier' = 'nothing';
  for (const call of turn.calls) {
    const step = stepOf(state, call);
    const hasTurn = before === 'nothing' || (before === 'only-parallel' && isParallel(call)) || isAdmitted(state, call);
    const mayBegin = hasTurn && !overlaps(state, turn, call);
    const move = step.kind === 'judge' && hasOpenTwin(turn, call) ? undefined : moveOf(call, step, mayBegin);
    if (move !== undefined) moves.push(move);
    if (step.kind === 'work') work.push(step.work);
    if (step.kind === 'admit' && mayBegin) {
      admitting ??= new Map();
      const { upstream = '' } = step;
      const count = (admitting.get(upstream) ?? 0) + 1;
      admitting.set(upstream, count);
      if (count <= maxAdmitting) work.push(step.work);
    }
    if (step.kind === 'wait') {
      waitingOn.push(step.on);
      wakeAtMs = Math.min(wakeAtMs, step.wakeAtMs ?? Infinity);
    }
    if (blocks(call)) before = before !== 'barrier' && isParallel(call) ? 'only-parallel' : 'barrier';
  }
  if (moves.length > 0) return { kind: 'advance', moves };
  return { kind: 'rest', work, waitingOn, ...(wakeAtMs === Infinity ? {} : { wakeAtMs }) };
}

/** True while a call of the turn that is not settled may bring what the next intent needs. */
function waitsForContext(state: RunState, turn: Turn): boolean {
  if (state.bus === undefined || state.cancel !== undefined) return false;
  const next = turn.parts.filter((part) => part.kind === 'call')[turn.taken];
  const needs = state.contracts.find(({ name }) => name === next?.toolName)?.terms.needs ?? [];
  return needs.some((text) => {
    const need = parseSelector(text);
    return (
      need !== undefined &&
      lookUp(state, need) === undefined &&
      turn.calls.some((call) => call.phase.kind !== 'settled' && mayBring(state, call, need))
    );
  });
}

function mayBring(state: RunState, call: CallState, need: Selector): boolean {
  if (need.kind !== 'key') return call.toolName === need.tool;
  return publicationsOf(call, state.contracts)?.some(({ key }) => key === need.key) === true;
}

function moveOf(call: CallState, step: CallStep, mayBegin: boolean): Move | undefined {
  switch (step.kind) {
    case 'judge':
      return { kind: 'judge', callId: call.callId };
    case 'conclude':
      return { kind: 'conclude', callId: call.callId };
    case 'record':
      return { kind: 'record', entries: step.entries };
    case 'start':
      if (!mayBegin) return undefined;
      return call.phase.kind === 'ready' && call.call?.terms.cache !== undefined
        ? { kind: 'begin', callId: call.callId, entry: step.entry }
        : { kind: 'record', entries: [step.entry] };
    case 'work':
    case 'admit':
    case 'wait':
    case 'done':
      return undefined;
  }
}

/** True while an earlier call of the turn is open, a doubt included, that has the same arguments, or may get them when it falls back to the same tool. */
function hasOpenTwin(turn: Turn, call: CallState): boolean {
  const { argsHash, tool } = call.call ?? {};
  if (argsHash === undefined) return false;
  const twin = turn.calls.find(
    (other) =>
      other === call ||
      (other.phase.kind !== 'settled' && (other.call?.argsHash === argsHash || mayFallBackTo(other, tool))),
  );
  return twin !== undefined && twin !== call;
}

function mayFallBackTo({ call }: CallState, tool: string | undefined): boolean {
  return call?.terms.fallback?.some((link) => link.tool === tool) === true;
}

/** A call whose doubt was resolved to a retry comes back while one that came after it may be under way. */
function overlaps(state: RunState, turn: Turn, call: CallState): boolean {
  return turn.calls.some(
    (other) =>
      other !== call && isUnderWay(state, other, { besides: call }) && !(isParallel(other) && isParallel(call)),
  );
}

function isUnderWay(state: RunState, call: CallState, { besides }: { readonly besides: CallState }): boolean {
  if (call.phase.kind === 'attempting' && call.phase.epoch === state.epoch) return true;
  return isAdmitted(state, call) && !(isAdmitted(state, besides) && besides.intentIndex < call.intentIndex);
}

function blocks(call: CallState): boolean {
  return call.phase.kind !== 'settled' && call.phase.kind !== 'doubtful';
}

function isParallel(call: CallState): boolean {
  return call.call !== undefined && (call.call.terms.effect === 'read' || call.call.terms.parallel);
}
