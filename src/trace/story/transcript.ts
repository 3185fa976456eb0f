/** A run as a conversation for people: what was said, by whom, and every call as a card with what became of it. */
import type { Decision } from '../../call/decision.ts';
import type { FinishReason, Usage } from '../../call/message.ts';
import type { Failure, Outcome } from '../../call/outcome.ts';
import type { JsonValue } from '../../util/json.ts';
import { defined } from '../../util/defined.ts';
import type { CallSpan, ModelSpan, RunPart, Trace } from '../trace.ts';

/** Where a line of the conversation stands. */
interface LinePlace {
  readonly seq: number;
  readonly atMs: number;
  /** The span that it belongs to. */
  readonly spanId: string;
}

export type TranscriptLine = LinePlace &
  (
    | { readonly kind: 'goal'; readonly input: JsonValue }
    | { readonly kind: 'message'; readonly text: string }
    | { readonly kind: 'reasoning' | 'answer'; readonly step: number; readonly text: string }
    | {
        readonly kind: 'call';
        readonly callId: string;
        readonly tool: string;
        readonly argumentsText?: string;
        readonly input?: JsonValue;
        readonly decision?: Decision;
        readonly attempts: number;
        readonly outcome?: Outcome;
      }
    /** A call of the model that brought nothing that could be used. */
    | { readonly kind: 'fault'; readonly step: number; readonly text: string; readonly failure?: Failure }
    | { readonly kind: 'usage'; readonly step: number; readonly usage: Usage; readonly finishReason: FinishReason }
    | { readonly kind: 'cancel'; readonly reason: string; readonly by?: string }
    | { readonly kind: 'end'; readonly ending: string; readonly output: JsonValue; readonly failure?: Failure }
  );

/** The conversation of a run, in the order in which it happened. */
export function transcriptOf(trace: Trace): readonly TranscriptLine[] {
  const { ending } = trace;
  const lines = trace.parts.flatMap(linesOf);
  const goal: TranscriptLine = { kind: 'goal', seq: 1, atMs: trace.startMs, spanId: 'run', input: trace.input };
  if (ending === undefined) return [goal, ...lines];
  const { kind, output, failure } = ending;
  const end = { kind: 'end', ending: kind, output, ...defined({ failure }) } as const;
  return [goal, ...lines, { ...end, seq: trace.seq, atMs: trace.lastMs, spanId: 'run' }];
}

function linesOf(part: RunPart): readonly TranscriptLine[] {
  switch (part.kind) {
    case 'model':
      return modelLines(part);
    case 'call':
      return [callLine(part)];
    case 'mark': {
      const { mark } = part;
      const place = { seq: part.seq, atMs: part.startMs, spanId: part.id };
      if (mark.kind === 'message') return [{ ...place, kind: 'message', text: mark.text }];
      if (mark.kind !== 'cancel') return [];
      return [{ ...place, kind: 'cancel', reason: mark.reason, ...defined({ by: mark.by }) }];
    }
    case 'wait':
    case 'gap':
      return [];
  }
}

function modelLines({ step, children }: ModelSpan): readonly TranscriptLine[] {
  return children.flatMap((attempt): readonly TranscriptLine[] => {
    if (attempt.kind !== 'model-attempt') return [];
    const { id: spanId, seq, startMs, endMs, end } = attempt;
    const place = { seq, atMs: endMs ?? startMs, spanId, step };
    if (end?.status === 'failed') return [{ ...place, kind: 'fault', text: end.failure.message, failure: end.failure }];
    if (end?.status !== 'answered') return [];
    const said = end.parts.flatMap((part): readonly TranscriptLine[] =>
      part.kind === 'call' || part.text === ''
        ? []
        : [{ ...place, kind: part.kind === 'text' ? 'answer' : 'reasoning', text: part.text }],
    );
    const fault = end.unreadable === undefined ? [] : [{ ...place, kind: 'fault', text: end.unreadable } as const];
    return [...said, ...fault, { ...place, kind: 'usage', usage: end.usage, finishReason: end.finishReason }];
  });
}

function callLine(call: CallSpan): TranscriptLine {
  const { id: spanId, seq, startMs, callId, tool, argumentsText, input, decision, outcome, children } = call;
  return {
    kind: 'call',
    seq,
    atMs: startMs,
    spanId,
    callId,
    tool,
    attempts: children.filter((part) => part.kind === 'attempt').length,
    ...defined({ argumentsText, input, decision, outcome }),
  };
}
