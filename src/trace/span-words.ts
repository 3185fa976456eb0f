/** What is said about a span below its row: short lines that are not safe to print yet (`safe-text.ts`). */
import type { Repair } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import type { FilledArgument } from '../call/publication.ts';
import type { ModelPart, Usage } from '../call/message.ts';
import type { AttemptResult, Failure, Outcome } from '../call/outcome.ts';
import { cutText } from '../util/cut-text.ts';
import type { JsonValue } from '../util/json.ts';
import { driftWords } from './drift-words.ts';
import { durationText, offsetText } from './duration-text.ts';
import type {
  AttemptSpan,
  BreakerMark,
  CallSpan,
  DoubtSpan,
  GapSpan,
  MarkSpan,
  ModelAttemptSpan,
  RefusedMark,
  StandInMark,
  VerifySpan,
  Waited,
  WaitFor,
} from './trace.ts';

/** A value as one short text. */
export function valueText(value: JsonValue, maxChars = 300): string {
  return cutText(typeof value === 'string' ? value : JSON.stringify(value), maxChars);
}

export function failureText(failure: Failure): string {
  const again = failure.retryAfterMs === undefined ? '' : ` (asked to wait ${durationText(failure.retryAfterMs)})`;
  return `${failure.code}: ${cutText(failure.message, 300)}${again}`;
}

/** An answer in another form than declared, and what came. */
export function rawWords({ drift }: Extract<AttemptResult, { status: 'failed' }>): readonly string[] {
  if (drift === undefined) return [];
  return [
    ...driftWords(drift).map((words) => `DRIFT ${words}`),
    `what came (${drift.rawLength} characters, ${drift.rawHash.slice(0, 12)}): ${valueText(drift.raw)}`,
  ];
}

/** What the model wrote, how it was counted. */
export function answerWords(
  end: Extract<ModelAttemptSpan['end'], { status: 'answered' }>,
  { items, shownTools }: Pick<ModelAttemptSpan, 'items' | 'shownTools'>,
): readonly string[] {
  const { usage, finishReason, respondedAs, unreadable } = end;
  const facts = [
    `saw ${items} ${items === 1 ? 'item' : 'items'}`,
    ...(shownTools === undefined ? [] : [`was shown ${shownTools} of its tools`]),
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
      return part.written === undefined
        ? [`asks for ${part.toolName} ${cutText(part.argumentsText, 300)}`]
        : [`asks for ${part.toolName} in its text: ${cutText(part.written.text, 300)}`];
  }
}

/** Why a call ran or did not, with what, and what came of it. */
export function callWords(call: CallSpan): readonly string[] {
  const { decision, outcome, refusal, input, cached, recorded, undoneBy } = call;
  if (refusal !== undefined) {
    return [refusal.dropped ? 'left out: a repetition within its turn' : `refused: ${failureText(refusal.failure)}`];
  }
  return [
    ...(input === undefined ? [] : [`input ${valueText(input)}`]),
    ...call.repairs.map(repairWords),
    ...(call.filled ?? []).map(filledWords),
    ...(decision === undefined ? [] : [decisionWords(decision)]),
    ...(cached === undefined ? [] : [cachedWords(cached)]),
    ...(recorded === undefined ? [] : [recordedWords(recorded)]),
    ...(outcome === undefined ? [] : [outcomeWords(outcome)]),
    ...(call.published ?? []).map(({ key, value }) => `published ${key} = ${valueText(value, 100)}`),
    ...(undoneBy === undefined ? [] : [`UNDONE by ${undoneBy}`]),
  ];
}

function cachedWords({ runId, callId, ageMs }: NonNullable<CallSpan['cached']>): string {
  return `CACHE HIT: the result of ${runId} call ${callId}, ${durationText(ageMs)} old; no attempt was made`;
}

function recordedWords({ callId }: NonNullable<CallSpan['recorded']>): string {
  return `RECORDED: what became of call ${callId} in the run that this one goes on from; nothing was performed`;
}

/** Why the tool before did not keep the call, and what this one gets. */
export function standInWords({ input, skipped, decision }: StandInMark): readonly string[] {
  return [
    ...skipped.map(({ tool, reason }) => `${tool} was passed over: ${cutText(reason, 300)}`),
    `input ${valueText(input)}`,
    ...(decision === undefined ? [] : [decisionWords(decision)]),
  ];
}

function repairWords({ rule, path, before, after }: Repair): string {
  const change = before === undefined && after === undefined ? '' : `: ${shown(before)} became ${shown(after)}`;
  return `repaired ${path === '' ? 'the arguments' : path} by ${rule}${change}`;
}

function filledWords({ path, from, by }: FilledArgument): string {
  return `filled in ${path} from ${from} (${by === 'start' ? 'set at the start' : `call ${by}`})`;
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
    case 'authorization':
      return { label: 'waits for authorisation', notes: authorizationWords(on, fromMs) };
    case 'retry':
      return {
        label: `back-off before attempt ${on.attempt}`,
        notes: [`due at ${offsetText(Math.max(0, on.dueAtMs - fromMs))}`],
      };
    case 'upstream':
      return { label: `waits for ${waitedText(on)}`, notes: [] };
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

function authorizationWords(
  { answer, expiresAtMs, upstream, url }: Extract<WaitFor, { kind: 'authorization' }>,
  fromMs: number,
): readonly string[] {
  const where = url === undefined ? upstream : `${upstream}: ${url}`;
  if (answer === undefined) return [where, `open until ${offsetText(Math.max(0, expiresAtMs - fromMs))}`];
  if (answer.verdict === 'expired') return [where, 'nobody authorised it in time'];
  const who = answer.by === undefined ? '' : ` by ${answer.by}`;
  const note = answer.note === undefined ? '' : `: ${cutText(answer.note, 300)}`;
  return [where, `${answer.verdict === 'granted' ? 'authorised' : 'refused'}${who}${note}`];
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

function waitedText({ upstream, locks = [] }: Waited): string {
  const lockText = locks.length === 0 ? [] : [`${locks.length === 1 ? 'the lock' : 'the locks'} ${locks.join(', ')}`];
  return [...lockText, ...(upstream === undefined ? [] : [upstream])].join(' and ');
}

/** What let an attempt begin. */
export function admissionWords({ admission }: AttemptSpan): readonly string[] {
  if (admission === undefined) return [];
  const { upstream, locks, waitedMs, isProbe } = admission;
  const when = waitedMs === 0 ? 'at once' : `after ${durationText(waitedMs)} in the queue`;
  const probe = isProbe ? ', as the call that tries whether it is well again' : '';
  if (locks === undefined) return [`admitted by ${upstream ?? 'nobody'} ${when}${probe}`];
  const taken = `took ${waitedText({ locks })}`;
  return [upstream === undefined ? `${taken} ${when}` : `${taken}, admitted by ${upstream} ${when}${probe}`];
}

export function refusedWords({ upstream, lock, failure }: RefusedMark): {
  readonly label: string;
  readonly notes: readonly string[];
} {
  const by = upstream ?? (lock === undefined ? undefined : `the lock ${lock}`);
  return { label: by === undefined ? 'refused' : `refused by ${by}`, notes: [failureText(failure)] };
}

/** @param fromMs The start of the run. */
export function breakerWords(
  { upstream, from, to, reason, untilMs }: BreakerMark,
  fromMs: number,
): { readonly label: string; readonly notes: readonly string[] } {
  const until = untilMs === undefined ? '' : `, until ${offsetText(Math.max(0, untilMs - fromMs))}`;
  return { label: `breaker ${to}`, notes: [`${upstream} was ${from} and is ${to}${until}: ${reason}`] };
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
    case 'driver-changed':
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
    case 'contract-migrated': {
      const calls = mark.calls.length === 0 ? '' : `; judged anew: call ${mark.calls.join(', ')}`;
      return `${mark.tool} went from version ${mark.fromVersion} to version ${mark.version}${calls}`;
    }
  }
}
