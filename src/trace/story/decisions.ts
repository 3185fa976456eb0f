/** What was decided in a run, in order: by the model, by policy, by people. The log that a reviewer reads first. */
import { placeOfCall, stepOfCall } from '../../call/call-id.ts';
import type { Decision } from '../../call/decision.ts';
import type { Outcome } from '../../call/outcome.ts';
import type { ModelPart } from '../../call/message.ts';
import { cutText } from '../../util/cut-text.ts';
import { defined } from '../../util/defined.ts';
import type { ApprovalAnswer, CallSpan, DoubtSpan, ModelAttemptSpan, ModelSpan, Trace } from '../trace.ts';

export interface DecisionRow {
  readonly seq: number;
  readonly atMs: number;
  readonly spanId: string;
  readonly step: number;
  /** `call`: the model asked for a tool; `answer`: it answered. */
  readonly chose: 'call' | 'answer';
  readonly callId?: string;
  readonly tool?: string;
  /** What else the model asked for in the same turn. */
  readonly beside: readonly string[];
  /** What the model wrote beside it, thoughts first: its own words, not a fact. */
  readonly statedReason?: string;
  readonly repairs: number;
  /** Why the intent could not become a call. */
  readonly refusal?: string;
  /** What policy said, and by which rule; of the tool that has the call now. */
  readonly policy?: Decision;
  readonly approval?: ApprovalAnswer | { readonly verdict: 'open' };
  /** Tools that stood in, in order. */
  readonly standIns: readonly string[];
  /** How a doubt about it was settled; `open` while it is not. */
  readonly doubt?: DoubtSpan['resolution'] | { readonly by: 'open' };
  readonly outcome?: Outcome['status'];
}

/** Characters of a stated reason. */
const maxReasonChars = 2_000;

/** One row for each call that a model asked for, and for each answer without calls. */
export function decisionsOf({ parts }: Pick<Trace, 'parts'>): readonly DecisionRow[] {
  let said:
    | { readonly step: number; readonly reason: string | undefined; readonly tools: readonly string[] }
    | undefined;
  return parts.flatMap((part): readonly DecisionRow[] => {
    if (part.kind === 'model') {
      const answer = answerOf(part);
      if (answer === undefined) return [];
      const reason = reasonIn(answer.said);
      const tools = answer.said.flatMap((each) => (each.kind === 'call' ? [each.toolName] : []));
      said = { step: part.step, reason, tools };
      if (tools.length > 0) return [];
      const atMs = answer.attempt.endMs ?? answer.attempt.startMs;
      const { seq, id: spanId } = answer.attempt;
      return [
        {
          seq,
          atMs,
          spanId,
          step: part.step,
          chose: 'answer',
          beside: [],
          repairs: 0,
          standIns: [],
          ...defined({ statedReason: reason }),
        },
      ];
    }
    return part.kind === 'call' ? [callRow(part, said)] : [];
  });
}

function callRow(
  call: CallSpan,
  said: { readonly step: number; readonly reason: string | undefined; readonly tools: readonly string[] } | undefined,
): DecisionRow {
  const { seq, startMs: atMs, id: spanId, callId, tool, children, refusal, outcome } = call;
  const step = stepOfCall(callId);
  const own = said?.step === step ? said : undefined;
  const standIns = children.filter((part) => part.kind === 'stand-in');
  const place = placeOfCall(callId);
  const policy = standIns.at(-1)?.decision ?? call.decision;
  return {
    seq,
    atMs,
    spanId,
    step,
    chose: 'call',
    callId,
    tool,
    beside: own?.tools.filter((_, index) => index !== place) ?? [],
    repairs: call.repairs.length,
    standIns: standIns.map((part) => part.tool),
    ...defined({
      statedReason: own?.reason,
      refusal: refusal?.failure.message,
      policy,
      approval: approvalOf(call),
      doubt: doubtOf(call),
      outcome: outcome?.status,
    }),
  };
}

function approvalOf({ children }: CallSpan): DecisionRow['approval'] {
  const wait = children.findLast((part) => part.kind === 'wait' && part.on.kind === 'approval');
  if (wait?.kind !== 'wait' || wait.on.kind !== 'approval') return undefined;
  return wait.on.answer ?? { verdict: 'open' };
}

function doubtOf({ children }: CallSpan): DecisionRow['doubt'] {
  const doubt = children.findLast((part) => part.kind === 'doubt');
  return doubt?.kind === 'doubt' ? (doubt.resolution ?? { by: 'open' }) : undefined;
}

/** The attempt that brought the answer of a model call. */
function answerOf({
  children,
}: ModelSpan): { readonly attempt: ModelAttemptSpan; readonly said: readonly ModelPart[] } | undefined {
  const attempt = children.findLast((child) => child.kind === 'model-attempt');
  if (attempt?.kind !== 'model-attempt' || attempt.end?.status !== 'answered') return undefined;
  return { attempt, said: attempt.end.parts };
}

/** Thoughts, then words. */
function reasonIn(parts: readonly ModelPart[]): string | undefined {
  const texts = (kind: 'reasoning' | 'text'): readonly string[] =>
    parts.flatMap((part) => (part.kind === kind && part.text.trim() !== '' ? [part.text] : []));
  const words = [...texts('reasoning'), ...texts('text')].join('\n');
  return words === '' ? undefined : cutText(words, maxReasonChars);
}
