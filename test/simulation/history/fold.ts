/** The states that a journal folds to, by the code under test, remembered for every append. */
import { evolveAppend } from '../../../src/run/evolve.ts';
import { newState, type RunState } from '../../../src/run/state.ts';
import type { Committed } from './history.ts';

const states = new WeakMap<Committed, RunState>();

/** The state after an append. */
export function fold(committed: Committed): RunState {
  const known = states.get(committed);
  if (known !== undefined) return known;
  const open: Committed[] = [];
  let from: Committed | undefined = committed;
  while (from !== undefined && !states.has(from)) {
    open.push(from);
    from = from.previous;
  }
  let state = (from === undefined ? undefined : states.get(from)) ?? newState(committed.runId);
  for (const next of open.reverse()) {
    state = evolveAppend(state, next.append);
    states.set(next, state);
  }
  return state;
}
