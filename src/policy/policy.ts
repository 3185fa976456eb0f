/** A policy: a pure function from facts to a decision. */
import type { Call } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';

/** What a policy may look at. */
export interface CallFacts {
  readonly call: Call;
  /** The same tool with the same arguments was denied by a person in this run. */
  readonly deniedBefore: boolean;
  /** The same tool with the same arguments failed in this run, and its effect may have happened. */
  readonly mayHaveHappenedBefore: boolean;
  readonly approvalTtlMs: number;
}

export type Policy = (facts: CallFacts) => Decision;
