/** What is said about a span below its row: short lines that are not safe to print yet (`safe-text.ts`). */
import type { Repair } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import type { ModelPart, Usage } from '../call/message.ts';
import type { Failure, Outcome } from '../call/outcome.ts';
import { cutText } from '../util/cut-text.ts';
import type { JsonValue } from '../util/json.ts';
import { durationText, offsetText } from './duration-text.ts';
import type { CallSpan, DoubtSpan, GapSpan, MarkSpan, ModelAttemptSpan, VerifySpan, WaitFor } from './trace.ts';

/** A value as one short text. */
export function valueText(value: JsonValue, maxChars = 300): string {
  return cutText(typeof value === 'string' ? value : JSON.stringify(value), maxChars);
}

export function failureText(failure: Failure): string {
  const again = failure.retryAfterMs === undefined ? '' : ` (asked to wait ${durationText(failure.retryAfterMs)})`;
  return `${failure.code}: ${cutText(failure.message, 300)}${again}`;
}

/** What the model wrote, how it was counted. */
export function answerWords(
  end: Extract<ModelAttemptSpan['end'], { status: 'answered' }>,
  items: number,
): readonly string[] {
  const { usage, finishReason, respondedAs, unreadable } = end;
  const facts = [
    `saw ${items} ${items === 1 ? 'item' : 'items'}`,
    ...tokens(usage),
    ...(respondedAs === undefined ? [] : [`answered as ${respondedAs}`]),
  ];
  const cut = finishReason === 'stop' || finishReason === 'tool-calls' ? [] : [`stopped because of ${finishReason}`];
  return [
    [...facts, ...cut].join(', '),
    ...end.parts.flatMap(partWords),
    ...(unreadable === undefined ? [] : [`could not be used: ${cutText(unreadable, 300)}`]),
  ];
}

function tokens({ inputTokens, outputTokens }: Usage): readonly string[] {
  return [
    ...(inputTokens === undefined ? [] : [`${inputTokens} tokens in`]),
    ...(outputTokens === undefined ? [] : [`${outputTokens} out`]),
  ];
}

function partWords(part: ModelPart): readonly string[] {
  switch (part.kind) {
    case 'text':
      return part.text.trim() === '' ? [] : [`says: ${cutText(part.text, 300)}`];
    case 'reasoning':
      return part.text.trim() === '' ? [] : [`thinks: ${cutText(part.text, 300)}`];
    case 'call':
      return [`asks for ${part.toolName} ${cutText(part.argumentsText, 300)}`];
  }
}

/** Why a call ran or did not, with what, and what came of it. */
export function callWords(call: CallSpan): readonly string[] {
  const { decision, outcome, refusal, input } = call;
  if (refusal !== undefined) {
    return [refusal.dropped ? 'left out: a repetition within its turn' : `refused: ${failureText(refusal.failure)}`];
  }
  return [
    ...(input === undefined ? [] : [`input ${valueText(input)}`]),
    ...call.repairs.map(repairWords),
    ...(decision === undefined ? [] : [decisionWords(decision)]),
    ...(outcome === undefined ? [] : [outcomeWords(outcome)]),
  ];
}

function repairWords({ rule, path, before, after }: Repair): string {
  const change = before === undefined && after === undefined ? '' : `: ${shown(before)} became ${shown(after)}`;
  return `repaired ${path === '' ? 'the arguments' : path} by ${rule}${change}`;
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : cutText(JSON.stringify(value), 80);
}

function decisionWords(decision: Decision): string {
  switch (decision.kind) {
    case 'allow':
      return `allowed by ${decision.rule}`;
    case 'deny':
      return `denied by ${decision.rule}: ${decision.reason}`;
    case 'ask':
      return `a person is asked by ${decision.rule}: ${decision.reason}`;
  }
}

export function outcomeWords(outcome: Outcome): string {
  switch (outcome.status) {
    case 'succeeded':
      return `succeeded ${valueText(outcome.output)}`;
    case 'failed':
      return `failed ${failureText(outcome.failure)}${outcome.effectMayHaveHappened ? ' (its effect may have happened)' : ''}`;
    case 'denied':
      return outcome.code === 'approval-expired' ? 'denied: nobody answered in time' : `denied: ${outcome.reason}`;
    case 'cancelled':
      return `cancelled: ${outcome.reason}`;
    case 'in-doubt':
      return `still in doubt, and the model was told: ${outcome.reason}`;
  }
}

/** The name of a wait, and what is said of it. @param fromMs The start of the run. */
export function waitWords(on: WaitFor, fromMs: number): { readonly label: string; readonly notes: readonly string[] } {
  switch (on.kind) {
    case 'approval':
      return { label: 'waits for approval', notes: approvalWords(on, fromMs) };
    case 'retry':
      return {
        label: `back-off before attempt ${on.attempt}`,
        notes: [`due at ${offsetText(Math.max(0, on.dueAtMs - fromMs))}`],
      };
    case 'verify':
      return { label: 'waits until verify counts', notes: [`due at ${offsetText(Math.max(0, on.dueAtMs - fromMs))}`] };
    case 'person':
      return { label: 'waits for a person', notes: ['nothing else can tell whether it happened'] };
    case 'message':
      return { label: 'waits for a message', notes: [] };
    case 'code':
      return { label: 'held', notes: [on.reason, `remedy: ${on.remedy}`] };
  }
}

function approvalWords(
  { answer, expiresAtMs }: Extract<WaitFor, { kind: 'approval' }>,
  fromMs: number,
): readonly string[] {
  if (answer === undefined) return [`open until ${offsetText(Math.max(0, expiresAtMs - fromMs))}`];
  if (answer.verdict === 'expired') return ['nobody answered in time'];
  const who = answer.by === undefined ? '' : ` by ${answer.by}`;
  const note = answer.note === undefined ? '' : `: ${cutText(answer.note, 300)}`;
  return [
    `${answer.verdict === 'approve' ? 'approved' : 'denied'}${who}${answer.edited ? ', with other arguments' : ''}${note}`,
  ];
}

export function doubtWords({ reason, attempt, resolution }: DoubtSpan): readonly string[] {
  const why =
    reason === 'crash' ? `its driver was lost during attempt ${attempt}` : `nobody answered attempt ${attempt}`;
  if (resolution === undefined) return [why];
  const note = resolution.note === undefined ? '' : `: ${cutText(resolution.note, 300)}`;
  const by = { verify: 'verify', person: 'a person', evidence: 'a late answer', policy: 'policy' }[resolution.by];
  return [why, `settled by ${by}: ${verdictWords(resolution.verdict)}${note}`];
}

function verdictWords(verdict: NonNullable<DoubtSpan['resolution']>['verdict'] | { readonly kind: 'unknown' }): string {
  switch (verdict.kind) {
    case 'happened':
      return `it happened ${valueText(verdict.output)}`;
    case 'not-happened':
      return verdict.then === 'retry' ? 'it did not happen, so it is tried again' : 'it did not happen';
    case 'told':
      return 'it stays open, and the model is told';
    case 'unknown':
      return 'it could not tell';
  }
}

export function verifyWords({ end }: VerifySpan): readonly string[] {
  if (end === undefined) return [];
  if (end.status === 'lost') return ['cut off by the end of its driver'];
  return [verdictWords(end.verdict), ...(end.failure === undefined ? [] : [failureText(end.failure)])];
}

export function gapWords(gap: GapSpan): { readonly label: string; readonly notes: readonly string[] } {
  switch (gap.cause) {
    case 'no-driver-yet':
      return { label: 'no driver yet', notes: [] };
    case 'driver-left':
      return {
        label: 'no driver',
        notes: [`the driver stopped between two entries; the next one took over as epoch ${gap.takenByEpoch}`],
      };
    case 'driver-lost':
      return {
        label: 'KILL GAP: no driver',
        notes: [
          `the driver was lost during ${gap.lost.map(lostWords).join(', ')}; the next one took over as epoch ${gap.takenByEpoch}`,
        ],
      };
  }
}

/** From the id of a span that was cut off to words. */
function lostWords(id: string): string {
  const [owner = '', rest = ''] = id.split('#');
  const [attempt = '', verification] = rest.split('?');
  return `${verification === undefined ? '' : 'verify of '}${owner.replace('.', ' ')}, attempt ${attempt}`;
}

export function markWords({ mark }: MarkSpan): string {
  switch (mark.kind) {
    case 'message':
      return `message: ${cutText(mark.text, 300)}`;
    case 'cancel':
      return `cancel requested${mark.by === undefined ? '' : ` by ${mark.by}`}: ${mark.reason}`;
    case 'post-refused':
      return `refused about ${mark.about}: ${mark.failure.message}`;
    case 'contract-rebound':
      return `contract of ${mark.tool} version ${mark.version} is another one with the same shape`;
  }
}
