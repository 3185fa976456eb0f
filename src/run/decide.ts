/** What a run does next, whatever its kind: the stages that all kinds share, then the kind's own decider. */
import type { RunStatus } from '../journal/store.ts';
import { keptLocks } from './call-locks.ts';
import { decideAgent } from './decide-agent.ts';
import { decideSingleCall } from './decide-call.ts';
import { decideUndo } from './decide-undo.ts';
import type { Deciders, Next } from './next.ts';
import type { RunState } from './state.ts';

/** The kinds of run that this package drives by itself. */
export const builtInDeciders: Deciders = { agent: decideAgent, call: decideSingleCall, undo: decideUndo };

export function decide(state: RunState, deciders: Deciders): Next {
  if (state.stage === 'ended' || state.task === undefined) return { kind: 'over' };
  // A held run does nothing until its code is back, but it can always be cancelled: cancelling starts nothing.
  if (state.held !== undefined && state.cancel === undefined) {
    const { reason, tool } = state.held;
    return { kind: 'rest', work: [], waitingOn: [{ kind: 'held', reason, ...(tool === undefined ? {} : { tool }) }] };
  }
  return deciders[state.task.kind](state);
}

/** The status that lists show and dispatchers wake by, with the locks that the next driver has to know of. */
export function statusOf(state: RunState, next: Next): RunStatus {
  const kept = keptLocks(state);
  const status = bareStatusOf(state, next);
  return kept.length === 0 ? status : { ...status, keptLocks: kept };
}

function bareStatusOf(state: RunState, next: Next): RunStatus {
  const steps = state.step;
  if (next.kind !== 'rest') {
    if (state.stage !== 'ended') return { state: 'active', waitingOn: [], steps };
    return {
      state: 'ended',
      waitingOn: [],
      steps,
      ...(state.ending === undefined ? {} : { ending: state.ending.kind }),
    };
  }
  if (next.work.length > 0) return { state: 'active', waitingOn: next.waitingOn, steps };
  if (state.held !== undefined && state.cancel === undefined) {
    return { state: 'held', waitingOn: next.waitingOn, steps };
  }
  return {
    state: 'waiting',
    waitingOn: next.waitingOn,
    steps,
    ...(next.wakeAtMs === undefined ? {} : { wakeAtMs: next.wakeAtMs }),
  };
}
