/** A policy: a pure function from facts to a decision. */
import type { Call } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import type { Isolation } from '../call/isolation.ts';

/** What a policy may look at. */
export interface CallFacts {
  readonly call: Call;
  /** The same tool with the same arguments was denied by a person in this run. */
  readonly deniedBefore: boolean;
  /** The same tool with the same arguments failed in this run, and its effect may have happened. */
  readonly mayHaveHappenedBefore: boolean;
  readonly approvalTtlMs: number;
  /** Where the code of the call runs: a policy may, for example, refuse a write that runs `in-process`. */
  readonly isolation: Isolation;
}

export type Policy = (facts: CallFacts) => Decision;
