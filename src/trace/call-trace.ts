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
import type {
  AuthorizationAnswered,
  AuthorizationExpired,
  AuthorizationRequested,
} from '../journal/authorization-entries.ts';
import type { AdmissionRefused, BreakerChanged, CallAdmitted } from '../journal/upstream-entries.ts';
import { impliedOutcome } from '../journal/implied-outcome.ts';
import type {
  AttemptSpan,
  AuthorizationAnswer,
  CallPart,
  CallSpan,
  DoubtSpan,
  Lost,
  StandInMark,
  VerifySpan,
  WaitFor,
  WaitSpan,
} from './trace.ts';
import type { JsonValue } from '../util/json.ts';
import { defined } from '../util/defined.ts';

/** Where an entry stands. */
export interface EntryPlace {
  readonly seq: number;
  readonly epoch: number;
  readonly atMs: number;
  /** The first entry of its append: entries of one append became true together. */
  readonly firstSeq: number;
}

export function traceCall(before: CallSpan, entry: CallEntry, place: EntryPlace): CallSpan {
  switch (entry.type) {
    case 'call-decided':
      return traceDecision(before, entry, place);
    case 'approval-answered':
      return traceAnswer(before, entry, place);
    case 'approval-expired':
      return settled(answerWait(before, place, { verdict: 'expired' }), impliedOutcome(entry), place);
    case 'call-admitted':
    case 'admission-refused':
    case 'breaker-changed':
      return traceUpstream(before, entry, place);
    case 'attempt-started': {
      const { admission, ...rest } = endWaits(before, place);
      return add(rest, {
        kind: 'attempt',
        ...opened(`${before.id}#${entry.attempt}`, place),
        attempt: entry.attempt,
        ...defined({ approvalId: entry.approvalId, admission }),
      });
    }
    case 'attempt-finished':
      return mapParts(before, (part) =>
        part.kind === 'attempt' && part.attempt === entry.attempt && part.endMs === undefined
          ? { ...part, endMs: place.atMs, end: entry.result, ...defined({ sandbox: entry.sandbox }) }
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
    case 'authorization-requested':
      return add(before, authorizationWait(before, entry, place));
    case 'authorization-answered':
    case 'authorization-expired':
      return traceAuthorization(before, entry, place);
    case 'call-fell-back':
      return add(endWaits(before, place), {
        kind: 'stand-in',
        ...opened(`${before.id}~link${entry.link}`, place),
        endMs: place.atMs,
        link: entry.link,
        tool: entry.call.tool,
        input: entry.call.input,
        skipped: entry.skipped ?? [],
      });
    case 'call-cached':
      return settled(
        { ...before, cached: { ...entry.from, ageMs: entry.ageMs } },
        { status: 'succeeded', output: entry.output },
        place,
      );
    case 'call-recorded':
      return settled({ ...before, recorded: { callId: entry.from } }, entry.outcome, place);
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

/** A call that goes on under other arguments: what it waited for is over, and what was decided about it counts no more. */
export function migratedCall(before: CallSpan, input: JsonValue, place: EntryPlace): CallSpan {
  const { decision: _, ...rest } = endWaits(before, place);
  return { ...rest, input };
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

/** What the upstream of a call said of it, and what the call did to its breaker. */
function traceUpstream(
  before: CallSpan,
  entry: CallAdmitted | AdmissionRefused | BreakerChanged,
  place: EntryPlace,
): CallSpan {
  switch (entry.type) {
    case 'call-admitted':
      return traceAdmission(before, entry, place);
    case 'admission-refused':
      return add(queued(endWaits(before, place), entry, place), {
        kind: 'refused-by-upstream',
        ...opened(`${before.id}-${place.seq}`, place),
        endMs: place.atMs,
        attempt: entry.attempt,
        ...defined({ upstream: entry.upstream, lock: entry.lock }),
        failure: entry.failure,
      });
    case 'breaker-changed': {
      const { upstream, from, to, reason, untilMs } = entry;
      return add(before, {
        kind: 'breaker',
        ...opened(`${before.id}/${place.seq}`, place),
        endMs: place.atMs,
        upstream,
        from,
        to,
        reason,
        ...defined({ untilMs }),
      });
    }
  }
}

function traceAdmission(before: CallSpan, entry: CallAdmitted, place: EntryPlace): CallSpan {
  const { upstream, locks, waitedMs, probe } = entry;
  return {
    ...queued(endWaits(before, place), entry, place),
    admission: { ...defined({ upstream, locks }), waitedMs, isProbe: probe === true },
  };
}

/** The time in the queue, which is known only when it is over; none, when there was no wait. */
function queued(before: CallSpan, entry: CallAdmitted | AdmissionRefused, place: EntryPlace): CallSpan {
  const { upstream, attempt, waitedMs } = entry;
  const locks = entry.type === 'call-admitted' ? entry.locks : entry.lock === undefined ? undefined : [entry.lock];
  const startMs = Math.max(before.startMs, place.atMs - waitedMs);
  if (startMs === place.atMs) return before;
  const wait = waitSpan(`${before.id}+${place.seq}`, place, {
    kind: 'upstream',
    ...defined({ upstream, locks }),
    attempt,
  });
  return add(before, { ...wait, startMs, endMs: place.atMs });
}

function traceDecision(before: CallSpan, entry: CallDecided, place: EntryPlace): CallSpan {
  const { decision, approval } = entry;
  const decided = ofHolder(before, { decision });
  const denial = impliedOutcome(entry);
  if (denial !== undefined) return settled(decided, denial, place);
  if (decision.kind !== 'ask' || approval === undefined) return decided;
  const id = `${before.id}?${questionNumber(before)}`;
  return add(decided, waitSpan(id, place, { kind: 'approval', ...approval, reason: decision.reason }));
}

/** What is said of the call is said of the tool that has it: of the last stand-in, where there is one. */
function ofHolder(before: CallSpan, change: Pick<StandInMark, 'decision'> | Pick<StandInMark, 'input'>): CallSpan {
  const last = before.children.findLastIndex((part) => part.kind === 'stand-in');
  if (last < 0) return { ...before, ...change };
  return {
    ...before,
    children: before.children.map((part, index) =>
      index === last && part.kind === 'stand-in' ? { ...part, ...change } : part,
    ),
  };
}

/** Tells the questions of one call apart; empty for the first, which is the only one of nearly every call. */
function questionNumber({ children }: CallSpan): string {
  const standIns = children.filter((part) => part.kind === 'stand-in').length;
  const asked = children.filter((part) => part.kind === 'wait' && part.on.kind === 'approval').length;
  return standIns + asked === 0 ? '' : String(Math.max(standIns, asked));
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
  return edited === undefined ? answered : ofHolder(answered, { input: edited.input });
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

function authorizationWait(before: CallSpan, entry: AuthorizationRequested, place: EntryPlace): WaitSpan {
  const { authorizationId, upstream, expiresAtMs } = entry;
  const refused = before.children.findLast((part) => part.kind === 'attempt')?.end;
  const url = refused?.status === 'failed' ? refused.failure.authorize?.url : undefined;
  const on = { kind: 'authorization', authorizationId, upstream, expiresAtMs, ...defined({ url }) } as const;
  return waitSpan(`${before.id}?login${place.seq}`, place, on);
}

function traceAuthorization(
  before: CallSpan,
  entry: AuthorizationAnswered | AuthorizationExpired,
  place: EntryPlace,
): CallSpan {
  const answer: AuthorizationAnswer =
    entry.type === 'authorization-expired'
      ? { verdict: 'expired' }
      : { verdict: entry.granted ? 'granted' : 'denied', ...defined({ note: entry.note, by: entry.by }) };
  return mapParts(before, (part) =>
    part.kind === 'wait' && part.on.kind === 'authorization' && part.endMs === undefined
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
    (child) => child.kind !== 'wait' || child.seq < place.firstSeq,
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
