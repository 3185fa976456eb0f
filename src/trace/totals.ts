/** What a run came to, counted from its spans. */
import { workOf } from './call-trace.ts';
import type { AttemptSpan, CallPart, CallSpan, ModelAttemptSpan, RunPart, TraceTotals, VerifySpan } from './trace.ts';

/** @param spannedMs From the first entry to the last. @param lastMs Where open spans are cut. */
export function totalsOf(parts: readonly RunPart[], spannedMs: number, lastMs: number): TraceTotals {
  const calls = parts.filter((part) => part.kind === 'call');
  const models = parts.filter((part) => part.kind === 'model');
  const modelAttempts = models.flatMap((model) => model.children).filter((child) => child.kind === 'model-attempt');
  const began = calls.filter((call) => call.refusal === undefined);
  const attempts = calls.flatMap((call) => call.children).filter((part) => part.kind === 'attempt').length;
  const attempted = calls.filter((call) => call.children.some((part) => part.kind === 'attempt')).length;
  return {
    steps: models.length,
    modelAttempts: modelAttempts.length,
    calls: began.length,
    attempts,
    cached: calls.filter((call) => call.cached !== undefined).length,
    recorded: calls.filter((call) => call.recorded !== undefined).length,
    repeats: attempts - attempted,
    repairs: calls.reduce((count, call) => count + call.repairs.length, 0),
    waits: parts.reduce((count, part) => count + waitsIn(part), 0),
    approvals: countParts(calls, (part) => part.kind === 'wait' && part.on.kind === 'approval'),
    denied: calls.filter((call) => call.outcome?.status === 'denied').length,
    doubts: countParts(calls, (part) => part.kind === 'doubt'),
    kills: parts.filter((part) => part.kind === 'gap' && part.cause === 'driver-changed').length,
    inputTokens: sumTokens(modelAttempts, 'inputTokens'),
    outputTokens: sumTokens(modelAttempts, 'outputTokens'),
    workedMs: coveredMs(
      [...modelAttempts, ...calls.flatMap(workOf)].map((span) => [span.startMs, workEndMs(span, lastMs)]),
    ),
    spannedMs,
  };
}

/** Until when a span was certainly at work. */
export function workEndMs(span: ModelAttemptSpan | AttemptSpan | VerifySpan, lastMs: number): number {
  return span.end?.status === 'lost' ? span.end.lastSeenMs : (span.endMs ?? lastMs);
}

function waitsIn(part: RunPart | CallPart): number {
  if (part.kind === 'wait') return 1;
  if (part.kind === 'model' || part.kind === 'doubt') {
    return part.children.filter((child) => child.kind === 'wait').length;
  }
  return part.kind === 'call' ? part.children.reduce((count, child) => count + waitsIn(child), 0) : 0;
}

function countParts(calls: readonly CallSpan[], counts: (part: CallSpan['children'][number]) => boolean): number {
  return calls.reduce((count, call) => count + call.children.filter(counts).length, 0);
}

function sumTokens(attempts: readonly ModelAttemptSpan[], field: 'inputTokens' | 'outputTokens'): number {
  return attempts.reduce((sum, { end }) => sum + (end?.status === 'answered' ? (end.usage[field] ?? 0) : 0), 0);
}

/** The length of the union of intervals. */
function coveredMs(intervals: readonly (readonly [number, number])[]): number {
  let covered = 0;
  let reached = -Infinity;
  for (const [startMs, endMs] of intervals.toSorted((a, b) => a[0] - b[0])) {
    covered += Math.max(0, endMs - Math.max(startMs, reached));
    reached = Math.max(reached, endMs);
  }
  return covered;
}
