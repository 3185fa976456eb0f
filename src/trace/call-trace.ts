/** The fold of one call's entries into its span. Pure: an old span never changes. */
import type { AttemptResult, Outcome } from '../call/outcome.ts';
import type {
  ApprovalAnswered,
  CallDecided,
  CallDoubted,
  CallEntry,
  CallResolved,
  CallSettled,
  VerifyFinished,
} from '../journal/entry.ts';
import { impliedOutcome } from '../journal/implied-outcome.ts';
import type { AttemptSpan, CallPart, CallSpan, DoubtSpan, Lost, VerifySpan, WaitFor, WaitSpan } from './trace.ts';
import { defined } from '../util/defined.ts';

/** Where an entry stands. */
export interface EntryPlace {
  readonly seq: number;
  readonly epoch: number;
  readonly atMs: number;
}

export function traceCall(before: CallSpan, entry: CallEntry, place: EntryPlace): CallSpan {
  switch (entry.type) {
    case 'call-decided':
      return traceDecision(before, entry, place);
    case 'approval-answered':
      return traceAnswer(before, entry, place);
    case 'approval-expired':
      return settled(answerWait(before, place, { verdict: 'expired' }), impliedOutcome(entry), place);
    case 'attempt-started':
      return add(endWaits(before, place), {
        kind: 'attempt',
        ...opened(`${before.id}#${entry.attempt}`, place),
        attempt: entry.attempt,
        ...defined({ approvalId: entry.approvalId }),
      });
    case 'attempt-finished':
      return mapParts(before, (part) =>
        part.kind === 'attempt' && part.attempt === entry.attempt && part.endMs === undefined
          ? { ...part, endMs: place.atMs, end: entry.result }
          : part,
      );
    case 'retry-scheduled':
      return add(
        before,
        waitSpan(`${before.id}~${entry.attempt}`, place, {
          kind: 'retry',
          attempt: entry.attempt,
          dueAtMs: entry.dueAtMs,
        }),
      );
    case 'call-doubted':
      return add(before, traceDoubt(before, entry, place));
    case 'verify-started':
      return mapDoubt(before, (doubt) => {
        const rested = endWaits(doubt, place);
        const id = `${doubt.id}.${doubt.children.length}`;
        return {
          ...rested,
          children: [...rested.children, { kind: 'verify', ...opened(id, place), round: entry.round }],
        };
      });
    case 'verify-finished':
      return mapDoubt(before, (doubt) => traceVerdict(doubt, entry, place));
    case 'call-resolved':
      return mapDoubt(before, (doubt) => traceResolution(doubt, entry, place));
    case 'evidence-received':
      return add(before, {
        kind: 'evidence',
        ...opened(`${before.id}!${entry.attempt}`, place),
        endMs: place.atMs,
        attempt: entry.attempt,
        result: entry.result,
      });
    case 'call-settled':
      return settled(before, outcomeOf(before, entry), place);
  }
}

/** Ends as lost what earlier epochs left under way. */
export function loseCall(before: CallSpan, place: EntryPlace, lastSeenMs: number): CallSpan {
  const end: Lost = { status: 'lost', lastSeenMs };
  const lose = <S extends AttemptSpan | VerifySpan>(span: S): S =>
    isUnderWay(span, place.epoch) ? { ...span, endMs: place.atMs, end } : span;
  return mapParts(before, (part) => {
    if (part.kind === 'attempt') return lose(part);
    return part.kind === 'doubt'
      ? { ...part, children: part.children.map((child) => (child.kind === 'verify' ? lose(child) : child)) }
      : part;
  });
}

/** The attempts and verifications of a call that earlier epochs left under way. */
export function underWay(call: CallSpan, epoch: number): readonly (AttemptSpan | VerifySpan)[] {
  return workOf(call).filter((span) => isUnderWay(span, epoch));
}

/** The attempts of a call, and the verifications of its doubts. */
export function workOf(call: CallSpan): readonly (AttemptSpan | VerifySpan)[] {
  return call.children.flatMap((part): readonly (AttemptSpan | VerifySpan)[] => {
    if (part.kind === 'doubt') return part.children.filter((child) => child.kind === 'verify');
    return part.kind === 'attempt' ? [part] : [];
  });
}

/** True while a call waits for a time or a person. */
export function rests(call: CallSpan): boolean {
  return call.children.some((part) => (part.kind === 'doubt' ? part.children.some(isOpenWait) : isOpenWait(part)));
}

export function opened(
  id: string,
  place: EntryPlace,
): { readonly id: string; readonly seq: number; readonly epoch: number; readonly startMs: number } {
  return { id, seq: place.seq, epoch: place.epoch, startMs: place.atMs };
}

export function waitSpan(id: string, place: EntryPlace, on: WaitFor): WaitSpan {
  return { kind: 'wait', ...opened(id, place), on };
}

function isUnderWay(span: AttemptSpan | VerifySpan, epoch: number): boolean {
  return span.endMs === undefined && span.epoch < epoch;
}

/** True for a wait that is not over. */
export function isOpenWait(span: { readonly kind: string; readonly endMs?: number }): boolean {
  return span.kind === 'wait' && span.endMs === undefined;
}

function traceDecision(before: CallSpan, entry: CallDecided, place: EntryPlace): CallSpan {
  const { decision, approval } = entry;
  const decided = { ...before, decision };
  const denial = impliedOutcome(entry);
  if (denial !== undefined) return settled(decided, denial, place);
  if (decision.kind !== 'ask' || approval === undefined) return decided;
  return add(decided, waitSpan(`${before.id}?`, place, { kind: 'approval', ...approval, reason: decision.reason }));
}

function traceAnswer(before: CallSpan, entry: ApprovalAnswered, place: EntryPlace): CallSpan {
  const { verdict, edited, note, by } = entry;
  const answer = {
    verdict,
    edited: edited !== undefined,
    ...defined({ note, by }),
  };
  const answered = answerWait(before, place, answer);
  const denial = impliedOutcome(entry);
  if (denial !== undefined) return settled(answered, denial, place);
  return edited === undefined ? answered : { ...answered, input: edited.input };
}

function answerWait(
  before: CallSpan,
  place: EntryPlace,
  answer: Extract<WaitFor, { kind: 'approval' }>['answer'] & object,
): CallSpan {
  return mapParts(before, (part) =>
    part.kind === 'wait' && part.on.kind === 'approval' && part.endMs === undefined
      ? { ...part, endMs: place.atMs, on: { ...part.on, answer } }
      : part,
  );
}

function traceDoubt(before: CallSpan, entry: CallDoubted, place: EntryPlace): DoubtSpan {
  const id = `${before.id}#${entry.attempt}?`;
  const wait: WaitFor =
    entry.verifyAtMs === undefined ? { kind: 'person' } : { kind: 'verify', dueAtMs: entry.verifyAtMs };
  return {
    kind: 'doubt',
    ...opened(id, place),
    attempt: entry.attempt,
    reason: entry.reason,
    children: [waitSpan(`${id}.0`, place, wait)],
  };
}

function traceVerdict(doubt: DoubtSpan, entry: VerifyFinished, place: EntryPlace): DoubtSpan {
  const { verdict, failure, retryAtMs } = entry;
  const end = { status: 'answered', verdict, ...defined({ failure }) } as const;
  const children = doubt.children.map((child) =>
    child.kind === 'verify' && child.endMs === undefined ? { ...child, endMs: place.atMs, end } : child,
  );
  const id = `${doubt.id}.${children.length}`;
  if (retryAtMs !== undefined) {
    return { ...doubt, children: [...children, waitSpan(id, place, { kind: 'verify', dueAtMs: retryAtMs })] };
  }
  return verdict.kind === 'unknown'
    ? { ...doubt, children: [...children, waitSpan(id, place, { kind: 'person' })] }
    : { ...doubt, children };
}

function traceResolution(doubt: DoubtSpan, entry: CallResolved, place: EntryPlace): DoubtSpan {
  const { verdict, by, note } = entry;
  // A wait that is over in the append that began it was none.
  const children = endWaits(doubt, place).children.filter(
    (child) => child.kind !== 'wait' || child.endMs !== child.startMs,
  );
  return {
    ...doubt,
    children,
    endMs: place.atMs,
    resolution: { verdict, by, ...defined({ note }) },
  };
}

/** A settlement that carries no outcome of its own takes the output that the attempt or the resolution left. */
function outcomeOf(call: CallSpan, entry: CallSettled): Outcome {
  if (entry.outcome !== undefined) return entry.outcome;
  for (const part of call.children.toReversed()) {
    if (part.kind === 'doubt' && part.resolution?.verdict.kind === 'happened') {
      return { status: 'succeeded', output: part.resolution.verdict.output };
    }
    if (part.kind === 'attempt' && isResult(part.end) && part.end.status === 'succeeded') {
      return { status: 'succeeded', output: part.end.output };
    }
  }
  return { status: 'succeeded', output: null };
}

export function isResult(end: AttemptSpan['end']): end is AttemptResult {
  return end !== undefined && end.status !== 'lost';
}

function settled(call: CallSpan, outcome: Outcome, place: EntryPlace): CallSpan {
  return { ...endWaits(call, place), outcome, endMs: place.atMs };
}

function endWaits<S extends { readonly children: readonly { readonly kind: string; readonly endMs?: number }[] }>(
  span: S,
  place: EntryPlace,
): S {
  if (!span.children.some(isOpenWait)) return span;
  return {
    ...span,
    children: span.children.map((child) => (isOpenWait(child) ? { ...child, endMs: place.atMs } : child)),
  };
}

function add(call: CallSpan, part: CallPart): CallSpan {
  return { ...call, children: [...call.children, part] };
}

function mapParts(call: CallSpan, change: (part: CallPart) => CallPart): CallSpan {
  return { ...call, children: call.children.map(change) };
}

function mapDoubt(call: CallSpan, change: (doubt: DoubtSpan) => DoubtSpan): CallSpan {
  return mapParts(call, (part) => (part.kind === 'doubt' && part.endMs === undefined ? change(part) : part));
}
