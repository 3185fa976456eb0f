/** What a run has been through, counted from its journal and from nothing else. */
import type { Entry, RunEvent } from '../../src/axle.ts';

export interface Figures {
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly calls: number;
  readonly attempts: number;
  /** Attempts that hit their time limit. */
  readonly timeouts: number;
  readonly repairs: number;
  /** Back-offs between attempts. */
  readonly waits: number;
  /** Those of them whose length the service asked for. */
  readonly retryAfterWaits: number;
  /** Failures that were handed to the model because no retry could help. */
  readonly failuresTold: number;
  /** Those of them where a service answered in another form than agreed. */
  readonly changedFormats: number;
  readonly approvalsAsked: number;
  /** Attempts that used up an approval. */
  readonly approvalsUsed: number;
  readonly doubts: number;
  readonly doubtsSettledByVerify: number;
  /** Attempts that the end of their process cut off. */
  readonly cutOff: number;
  /** Times that the run was taken up again from its journal: after a kill, and after a wait in which it was not in memory. */
  readonly resumptions: number;
}

type Counts = { -readonly [Name in keyof Figures]: number };

/** Counts the entries of one run. */
export function countFigures(events: readonly RunEvent[]): Figures {
  const counts: Counts = {
    modelCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    calls: 0,
    attempts: 0,
    timeouts: 0,
    repairs: 0,
    waits: 0,
    retryAfterWaits: 0,
    failuresTold: 0,
    changedFormats: 0,
    approvalsAsked: 0,
    approvalsUsed: 0,
    doubts: 0,
    doubtsSettledByVerify: 0,
    cutOff: 0,
    resumptions: 0,
  };
  const lastResults = new Map<string, Extract<Entry, { type: 'attempt-finished' }>>();
  const underWay = new Set<string>();
  for (const event of events) {
    const { entry } = event;
    if (entry.type === 'run-claimed' && epochOf(event) > 1) {
      counts.resumptions += 1;
      // Whatever an earlier owner had under way is lost.
      counts.cutOff += underWay.size;
      underWay.clear();
    }
    if (entry.type === 'attempt-started') underWay.add(entry.callId);
    if (entry.type === 'attempt-finished') underWay.delete(entry.callId);
    if (entry.type === 'attempt-finished') lastResults.set(entry.callId, entry);
    if (entry.type === 'retry-scheduled' && wasAskedToWait(lastResults.get(entry.callId))) counts.retryAfterWaits += 1;
    count(counts, entry);
  }
  return counts;
}

function count(counts: Counts, entry: Entry): void {
  if (entry.type === 'model-finished') {
    counts.modelCalls += 1;
    counts.inputTokens += entry.usage.inputTokens ?? 0;
    counts.outputTokens += entry.usage.outputTokens ?? 0;
  } else if (entry.type === 'call-bound') {
    counts.calls += 1;
    counts.repairs += (entry.call.repairs ?? []).length;
  } else if (entry.type === 'call-decided') {
    if (entry.approval !== undefined) counts.approvalsAsked += 1;
  } else if (entry.type === 'attempt-started') {
    counts.attempts += 1;
    if (entry.approvalId !== undefined) counts.approvalsUsed += 1;
  } else if (entry.type === 'attempt-finished') {
    if (entry.result.status === 'failed' && entry.result.failure.code === 'tool-timed-out') counts.timeouts += 1;
  } else if (entry.type === 'retry-scheduled') {
    counts.waits += 1;
  } else if (entry.type === 'call-settled' && entry.outcome?.status === 'failed') {
    counts.failuresTold += 1;
    if (entry.outcome.failure.code === 'output-invalid') counts.changedFormats += 1;
  } else if (entry.type === 'call-doubted') {
    counts.doubts += 1;
  } else if (entry.type === 'call-resolved' && entry.by === 'verify') {
    counts.doubtsSettledByVerify += 1;
  }
}

/** The epoch in which an event was written, from its id. */
export function epochOf(event: RunEvent): number {
  return Number(event.id.split('.')[0]);
}

function wasAskedToWait(finished: Extract<Entry, { type: 'attempt-finished' }> | undefined): boolean {
  return finished?.result.status === 'failed' && finished.result.failure.retryAfterMs !== undefined;
}
