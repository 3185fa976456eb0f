/** Who stands in for a tool that is down: the chain of the tool that was asked for, and which of its links a failure leads to. */
import type { ChainLink } from '../call/chain.ts';
import type { Failure } from '../call/outcome.ts';
import type { CallState, RunState } from './state.ts';

/** The chain of the tool that was asked for. */
export function chainOf(state: RunState, { toolName }: CallState): readonly ChainLink[] {
  return state.contracts.find((pin) => pin.name === toolName)?.terms.fallback ?? [];
}

export function isDown(failure: Failure, { when }: ChainLink): boolean {
  if (when !== undefined) return when.includes(failure.code);
  // Whoever has the lock keeps a stand-in from what it protects as well.
  return failure.class === 'retryable' && !isLockRefusal(failure);
}

/** True for a call that could not have one of its locks. */
export function isLockRefusal({ code }: Failure): boolean {
  return code === 'lock-wait-too-long' || code === 'lock-queue-full';
}

/** True when somebody may stand in after this failure: a link that has not been tried. */
export function hasStandIn(state: RunState, callState: CallState, failure: Failure): boolean {
  const tried = callState.call?.link ?? 0;
  return chainOf(state, callState).some((link, index) => index >= tried && isDown(failure, link));
}
