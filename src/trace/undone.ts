/** Marks in a trace the calls that other runs took back: the journal of a run that has ended says nothing of what came later. */
import type { Trace } from './trace.ts';

/** The calls of a run that one undo run took back. */
export interface TakenBack {
  /** The undo run. */
  readonly runId: string;
  readonly callIds: readonly string[];
}

export function withUndone(trace: Trace, takenBack: readonly TakenBack[]): Trace {
  const byCall = new Map(takenBack.flatMap(({ runId, callIds }) => callIds.map((callId) => [callId, runId] as const)));
  if (byCall.size === 0) return trace;
  const parts = trace.parts.map((part) => {
    const undoneBy = part.kind === 'call' ? byCall.get(part.callId) : undefined;
    return undoneBy === undefined ? part : { ...part, undoneBy };
  });
  return { ...trace, parts };
}
