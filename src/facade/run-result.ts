/** What a caller is told of a run: how it ended, or what it waits for. */
import type { Failure } from '../call/outcome.ts';
import type { RunEnding } from '../journal/entry.ts';
import type { WaitReason } from '../journal/store.ts';
import type { RunState, RunTotals } from '../run/state.ts';
import type { JsonValue } from '../util/json.ts';

export interface EndedRun {
  readonly status: RunEnding;
  readonly runId: string;
  /** The answer; the partial result of a run that did not complete; null when there is none. */
  readonly output: JsonValue;
  readonly failure?: Failure;
  readonly steps: number;
  readonly totals: RunTotals;
}

export interface WaitingRun {
  readonly status: 'waiting';
  readonly runId: string;
  /** What it waits for: approvals, doubts, a message, or code that is missing here. */
  readonly on: readonly WaitReason[];
}

export type RunResult = EndedRun | WaitingRun;

export function endedRun(state: RunState): EndedRun | undefined {
  const { ending } = state;
  if (ending === undefined) return undefined;
  return {
    status: ending.kind,
    runId: state.runId,
    output: ending.output,
    steps: state.step,
    totals: state.totals,
    ...(ending.failure === undefined ? {} : { failure: ending.failure }),
  };
}
