/**
 * Whether what was filled into a call still stands in the context: a contract may say that an argument must be unchanged when its call begins. (S8)
 *
 * G1 It is asked before an attempt, and no more once an attempt may have had its effect: such a call is finished with the arguments that it began with.
 */
import { failureOf } from '../call/failure.ts';
import type { Failure } from '../call/outcome.ts';
import { parseSelector } from '../call/selector.ts';
import { pointerMembers } from '../contract/pointer.ts';
import { lookUp } from './data-bus.ts';
import type { CallState, RunState } from './state.ts';

/** Why a call does not begin: an argument of it was brought forth anew since it was filled in. */
export function changedArgument(state: RunState, { call, mayHaveHappened }: CallState): Failure | undefined {
  const { unchanged } = call?.terms ?? {};
  if (call?.filled === undefined || unchanged === undefined || mayHaveHappened) return undefined;
  for (const { path, from, by } of call.filled) {
    const [field = ''] = pointerMembers(path);
    const selector = parseSelector(from);
    if (selector === undefined || !unchanged.includes(field)) continue;
    const now = lookUp(state, selector);
    if (now?.by === by) continue;
    const change = now === undefined ? `${from} is not there any more` : `${now.by} has set ${from} anew`;
    const message = `${call.tool} was not run: ${change} since ${field} was filled in from it.`;
    return failureOf('context-changed', message, { evidence: 'none', details: { argument: field, from, by } });
  }
  return undefined;
}
