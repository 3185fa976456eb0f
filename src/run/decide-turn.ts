/**
 * What the open turn does next: bind what the model asked for, then bring every call to its settlement.
 *
 * O1 Calls begin in the order in which the model gave them. Reads (and calls declared parallel) overlap; any other call begins only when every call before it
 *    is settled, and nothing after it begins before it is settled. (R26)
 *    A call that comes back after its doubt waits for what is under way, whatever its place.
 * O2 The same call twice in a turn (tool and arguments) is judged only once the first is settled: what became of that one decides about the second. (D2, D3)
 * O3 A doubt blocks the finish of the turn, never its siblings. (R11)
 */
import type { WaitReason } from '../journal/store.ts';
import { type CallStep, stepOf } from './call-machine.ts';
import { countCalls } from './evolve-turn.ts';
import type { Move, Next, Work } from './next.ts';
import type { CallState, RunState, Turn } from './state.ts';

export function decideTurn(state: RunState, turn: Turn): Next {
  if (turn.taken < countCalls(turn.parts)) return { kind: 'advance', moves: [{ kind: 'bind' }] };
  const moves: Move[] = [];
  const work: Work[] = [];
  const waitingOn: WaitReason[] = [];
  let wakeAtMs = Infinity;
  let before: 'nothing' | 'only-parallel' | 'barrier' = 'nothing';
  for (const call of turn.calls) {
    const step = stepOf(state, call);
    const mayBegin =
      (before === 'nothing' || (before === 'only-parallel' && isParallel(call))) && !overlaps(state, turn, call);
    const move = step.kind === 'judge' && hasOpenTwin(turn, call) ? undefined : moveOf(call, step, mayBegin);
    if (move !== undefined) moves.push(move);
    if (step.kind === 'work') work.push(step.work);
    if (step.kind === 'wait') {
      waitingOn.push(step.on);
      wakeAtMs = Math.min(wakeAtMs, step.wakeAtMs ?? Infinity);
    }
    if (blocks(call)) before = before !== 'barrier' && isParallel(call) ? 'only-parallel' : 'barrier';
  }
  if (moves.length > 0) return { kind: 'advance', moves };
  return { kind: 'rest', work, waitingOn, ...(wakeAtMs === Infinity ? {} : { wakeAtMs }) };
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
      return mayBegin ? { kind: 'record', entries: [step.entry] } : undefined;
    case 'work':
    case 'wait':
    case 'done':
      return undefined;
  }
}

/** True while an earlier call of the turn with the same arguments is open, a doubt included. */
function hasOpenTwin(turn: Turn, call: CallState): boolean {
  const argsHash = call.call?.argsHash;
  if (argsHash === undefined) return false;
  const twin = turn.calls.find((other) => other.call?.argsHash === argsHash && other.phase.kind !== 'settled');
  return twin !== undefined && twin !== call;
}

/** A call whose doubt was resolved to a retry comes back while one that came after it may be under way. */
function overlaps(state: RunState, turn: Turn, call: CallState): boolean {
  return turn.calls.some(
    (other) =>
      other !== call &&
      other.phase.kind === 'attempting' &&
      other.phase.epoch === state.epoch &&
      !(isParallel(other) && isParallel(call)),
  );
}

function blocks(call: CallState): boolean {
  return call.phase.kind !== 'settled' && call.phase.kind !== 'doubtful';
}

function isParallel(call: CallState): boolean {
  return call.call !== undefined && (call.call.terms.effect === 'read' || call.call.terms.parallel);
}
