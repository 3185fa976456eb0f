/** What the rules look at: a run's calls and model calls, flat and in order, with what is counted of each. */
import { stepOfCall } from '../call/call-id.ts';
import type { Usage } from '../call/message.ts';
import type { Failure } from '../call/outcome.ts';
import type { Append, RunAccepted } from '../journal/entry.ts';
import type { AttemptSpan, CallSpan, ModelAttemptSpan, Trace } from '../trace/trace.ts';
import { traceOf } from '../trace/trace-of.ts';
import { canonicalJson } from '../util/json.ts';

export interface CallFact {
  readonly span: CallSpan;
  readonly step: number;
  readonly tool: string;
  /** Tool and arguments: equal for calls that ask for the same. */
  readonly key: string;
  readonly attempts: readonly AttemptSpan[];
  /** Milliseconds in which an attempt was at work. */
  readonly workedMs: number;
  /** What the call brought, as JSON text; its failure where it has no output. */
  readonly resultText: string;
  readonly failure?: Failure;
}

export interface ModelFact {
  readonly span: ModelAttemptSpan;
  readonly step: number;
  readonly text: string;
  readonly usage?: Usage;
}

export interface RunFacts {
  readonly trace: Trace;
  /** Absent for a part of a journal. */
  readonly accepted?: RunAccepted;
  /** Calls that began, and intents that were refused, in order. */
  readonly calls: readonly CallFact[];
  /** Model calls that were answered, in order. */
  readonly answers: readonly ModelFact[];
  /** Model calls that failed. */
  readonly modelFailures: readonly { readonly span: ModelAttemptSpan; readonly failure: Failure }[];
}

export function factsOf(appends: readonly Append[]): RunFacts {
  const trace = traceOf(appends);
  const first = appends[0]?.entries[0];
  const models = trace.parts.flatMap((part) =>
    part.kind === 'model'
      ? part.children.flatMap((child) => (child.kind === 'model-attempt' ? [{ span: child, step: part.step }] : []))
      : [],
  );
  return {
    trace,
    ...(first?.type === 'run-accepted' ? { accepted: first } : {}),
    calls: trace.parts.flatMap((part) => (part.kind === 'call' ? [callFact(part, trace.lastMs)] : [])),
    answers: models.flatMap(({ span, step }): readonly ModelFact[] => {
      if (span.end?.status !== 'answered') return [];
      const text = span.end.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
      return [{ span, step, text, usage: span.end.usage }];
    }),
    modelFailures: models.flatMap(({ span }) =>
      span.end?.status === 'failed' ? [{ span, failure: span.end.failure }] : [],
    ),
  };
}

function callFact(span: CallSpan, lastMs: number): CallFact {
  const attempts = span.children.filter((child) => child.kind === 'attempt');
  const { outcome, refusal } = span;
  const failure = refusal?.failure ?? (outcome?.status === 'failed' ? outcome.failure : undefined);
  const asked = span.input === undefined ? (span.argumentsText ?? '') : canonicalJson(span.input);
  const result = outcome?.status === 'succeeded' ? outcome.output : (failure?.message ?? null);
  return {
    span,
    step: stepOfCall(span.callId),
    tool: span.tool,
    key: `${span.tool} ${asked}`,
    attempts,
    workedMs: attempts.reduce((sum, attempt) => sum + workedMs(attempt, lastMs), 0),
    resultText: canonicalJson(result),
    ...(failure === undefined ? {} : { failure }),
  };
}

function workedMs({ startMs, endMs, end }: AttemptSpan, lastMs: number): number {
  return (end?.status === 'lost' ? end.lastSeenMs : (endMs ?? lastMs)) - startMs;
}

/** A call as evidence. */
export function evidenceOf(
  call: CallFact,
  text: string,
): {
  readonly seq: number;
  readonly spanId: string;
  readonly text: string;
} {
  return { seq: call.span.seq, spanId: call.span.id, text };
}
