/** What a part of a trace comes to as rows of a table: itself, and what is inside of it, parents first. Pure. */
import type { Failure } from '../../call/outcome.ts';
import { cutText } from '../../util/cut-text.ts';
import { workOf } from '../call-trace.ts';
import type {
  AttemptSpan,
  CallPart,
  CallSpan,
  DoubtSpan,
  EvidenceMark,
  GapSpan,
  ModelAttemptSpan,
  ModelSpan,
  RunPart,
  Span,
  SpanPlace,
  VerifySpan,
  WaitFor,
  WaitSpan,
} from '../trace.ts';
import {
  maxReasonChars,
  markerBit,
  type MarkerName,
  markerNames,
  type SpanKind,
  type SpanStatus,
} from './span-table.ts';

/** A row without its place in the table. Times are milliseconds since 1970. */
export interface RowDraft {
  readonly id: string;
  readonly parentId: string;
  readonly kind: SpanKind;
  readonly name: string;
  readonly status: SpanStatus;
  readonly error: string | undefined;
  /** What its failure says first; not safe to print yet. */
  readonly reason: string | undefined;
  readonly startMs: number;
  readonly endMs: number | undefined;
  readonly step: number;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly markers: number;
  readonly seq: number;
}

/** Where rows hang, and what goes without saying in them. */
export interface RowContext {
  readonly parentId: string;
  readonly step: number;
  /** What a model is called that does not say who answered. */
  readonly model: string;
}

/** The rows of one part, the part itself first. */
export function rowsOfPart(part: RunPart, context: RowContext): readonly RowDraft[] {
  const below = { ...context, parentId: part.id };
  switch (part.kind) {
    case 'model': {
      const inside = part.children.map((child) => modelChildRow(child, below));
      return [modelRow(part, inside, context), ...inside];
    }
    case 'call': {
      const inside = part.children.flatMap((child) => callPartRows(child, below));
      return [callRow(part, inside, context), ...inside];
    }
    case 'wait':
      return [waitRow(part, context)];
    case 'gap':
      return [gapRow(part, context)];
    case 'mark': {
      const { mark } = part;
      const refused = mark.kind === 'post-refused' ? failed('refused', mark.failure) : undefined;
      return [row(part, context, { kind: 'mark', name: mark.kind, status: 'ok', ...refused })];
    }
  }
}

type RowText = Pick<RowDraft, 'kind' | 'name' | 'status'> &
  Partial<Pick<RowDraft, 'error' | 'reason' | 'attempts' | 'inputTokens' | 'outputTokens' | 'markers'>>;

// Written out, since a fold makes one for every entry.
function row(span: SpanPlace, { parentId, step }: RowContext, text: RowText): RowDraft {
  return {
    id: span.id,
    parentId,
    kind: text.kind,
    name: text.name,
    status: text.status,
    error: text.error,
    reason: text.reason,
    startMs: span.startMs,
    endMs: span.endMs,
    step,
    attempts: text.attempts ?? 0,
    inputTokens: text.inputTokens ?? 0,
    outputTokens: text.outputTokens ?? 0,
    markers: text.markers ?? 0,
    seq: span.seq,
  };
}

// Without lists of its own, since a fold asks for every entry.
function bits(names: Readonly<Partial<Record<MarkerName, boolean>>>): number {
  let set = 0;
  let bit = 1;
  for (const name of markerNames) {
    if (names[name] === true) set |= bit;
    bit <<= 1;
  }
  return set;
}

/** The code of a failure, and what it says at a glance. */
function failed(
  status: 'failed' | 'refused',
  { code, message }: Pick<Failure, 'code' | 'message'>,
): Pick<RowDraft, 'status' | 'error' | 'reason' | 'markers'> {
  const markers = bits({
    timeout: code === 'tool-timed-out',
    'rate-limited': code === 'upstream-rate-limited',
    breaker: code === 'upstream-open',
  });
  return { status, error: code, reason: firstLine(message), markers };
}

function firstLine(text: string): string {
  const [line = ''] = text.trimStart().split(/[\r\n]/u, 1);
  return cutText(line, maxReasonChars);
}

function isOpenWait(span: Span): boolean {
  return span.kind === 'wait' && span.endMs === undefined;
}

// ---- models

function modelRow(model: ModelSpan, inside: readonly RowDraft[], context: RowContext): RowDraft {
  const attempts = inside.filter((each) => each.kind === 'attempt');
  const last = attempts.at(-1);
  return row(model, context, {
    kind: 'model',
    name: modelName(model, context),
    status: inside.some((each) => each.status === 'waiting') ? 'waiting' : (last?.status ?? 'open'),
    attempts: attempts.length,
    inputTokens: attempts.reduce((sum, each) => sum + each.inputTokens, 0),
    outputTokens: attempts.reduce((sum, each) => sum + each.outputTokens, 0),
    markers: attempts.reduce((all, each) => all | each.markers, attempts.length > 1 ? markerBit('retry') : 0),
    error: last?.error,
    reason: last?.reason,
  });
}

/** Who answered, where that is said. */
function modelName({ children }: ModelSpan, { model }: RowContext): string {
  const last = children.at(-1);
  return last?.kind === 'model-attempt' && last.end?.status === 'answered' ? (last.end.respondedAs ?? model) : model;
}

function modelChildRow(child: ModelAttemptSpan | WaitSpan, context: RowContext): RowDraft {
  if (child.kind === 'wait') return waitRow(child, context);
  const { end, attempt } = child;
  const text = { kind: 'attempt', name: `attempt ${attempt}`, attempts: attempt } as const;
  switch (end?.status) {
    case undefined:
      return row(child, context, { ...text, status: 'open' });
    case 'answered': {
      const { inputTokens = 0, outputTokens = 0 } = end.usage;
      const counted = { ...text, inputTokens, outputTokens };
      return end.unreadable === undefined
        ? row(child, context, { ...counted, status: 'ok' })
        : row(child, context, {
            ...counted,
            ...failed('failed', { code: 'model-output-unreadable', message: end.unreadable }),
          });
    }
    case 'failed':
      return row(child, context, { ...text, ...failed('failed', end.failure) });
    case 'lost':
      return row(child, context, { ...text, status: 'lost', markers: bits({ 'crash-gap': true }) });
  }
}

// ---- calls

function callRow(call: CallSpan, inside: readonly RowDraft[], context: RowContext): RowDraft {
  const { children, outcome, refusal } = call;
  const attempts = children.filter((part) => part.kind === 'attempt');
  const failure = refusal?.failure ?? (outcome?.status === 'failed' ? outcome.failure : undefined);
  const denial = outcome?.status === 'denied' ? outcome : undefined;
  const why = failure?.message ?? denial?.reason;
  const own = bits({
    retry: attempts.length > 1,
    repaired: call.repairs.length > 0,
    'cache-hit': call.cached !== undefined,
    recorded: call.recorded !== undefined,
    undone: call.undoneBy !== undefined,
  });
  return row(call, context, {
    kind: 'call',
    name: call.tool,
    status: callStatus(call),
    attempts: attempts.length,
    error: failure?.code ?? denial?.code,
    reason: why === undefined ? undefined : firstLine(why),
    markers: inside.reduce((all, each) => all | each.markers, own),
  });
}

function callStatus(call: CallSpan): SpanStatus {
  const { children, outcome, refusal } = call;
  if (refusal !== undefined) return 'refused';
  if (outcome !== undefined) return outcome.status === 'succeeded' ? 'ok' : outcome.status;
  if (children.some((part) => part.kind === 'doubt' && part.endMs === undefined)) return 'in-doubt';
  if (workOf(call).some((span) => span.endMs === undefined)) return 'open';
  return children.some(isOpenWait) ? 'waiting' : 'open';
}

function callPartRows(part: CallPart, context: RowContext): readonly RowDraft[] {
  switch (part.kind) {
    case 'attempt':
      return [attemptRow(part, context)];
    case 'wait':
      return [waitRow(part, context)];
    case 'doubt':
      return doubtRows(part, context);
    case 'evidence':
      return [evidenceRow(part, context)];
    case 'stand-in':
      return [
        row(part, context, { kind: 'stand-in', name: part.tool, status: 'ok', markers: bits({ fallback: true }) }),
      ];
    case 'refused-by-upstream':
      return [
        row(part, context, {
          kind: 'refusal',
          name: part.upstream ?? part.lock ?? 'contract',
          ...failed('refused', part.failure),
        }),
      ];
    case 'breaker':
      return [
        row(part, context, {
          kind: 'breaker',
          name: `${part.upstream} ${part.to}`,
          status: 'ok',
          markers: bits({ breaker: true }),
        }),
      ];
  }
}

function attemptRow(span: AttemptSpan, context: RowContext): RowDraft {
  const { attempt, end } = span;
  const text = { kind: 'attempt', name: `attempt ${attempt}`, attempts: attempt } as const;
  switch (end?.status) {
    case undefined:
      return row(span, context, { ...text, status: 'open' });
    case 'succeeded':
      return row(span, context, { ...text, status: 'ok' });
    case 'failed': {
      const failure = failed('failed', end.failure);
      const markers = failure.markers | bits({ drift: end.drift !== undefined });
      return row(span, context, { ...text, ...failure, markers });
    }
    case 'lost':
      return row(span, context, { ...text, status: 'lost', markers: bits({ 'crash-gap': true }) });
  }
}

function evidenceRow(span: EvidenceMark, context: RowContext): RowDraft {
  const text = { kind: 'evidence', name: `late answer of attempt ${span.attempt}`, attempts: span.attempt } as const;
  return span.result.status === 'succeeded'
    ? row(span, context, { ...text, status: 'ok' })
    : row(span, context, { ...text, ...failed('failed', span.result.failure) });
}

function doubtRows(doubt: DoubtSpan, context: RowContext): readonly RowDraft[] {
  const told = doubt.resolution?.verdict.kind === 'told';
  const below = { ...context, parentId: doubt.id };
  return [
    row(doubt, context, {
      kind: 'doubt',
      name: doubt.reason,
      status: doubt.resolution === undefined || told ? 'in-doubt' : 'ok',
      markers: bits({ 'in-doubt': true }),
    }),
    ...doubt.children.map((child) => (child.kind === 'wait' ? waitRow(child, below) : verifyRow(child, below))),
  ];
}

function verifyRow(span: VerifySpan, context: RowContext): RowDraft {
  const { end, round } = span;
  const text = { kind: 'verify', name: `verify ${round}`, attempts: round } as const;
  switch (end?.status) {
    case undefined:
      return row(span, context, { ...text, status: 'open' });
    case 'answered':
      return end.failure === undefined
        ? row(span, context, { ...text, status: end.verdict.kind === 'unknown' ? 'in-doubt' : 'ok' })
        : row(span, context, { ...text, ...failed('failed', end.failure) });
    case 'lost':
      return row(span, context, { ...text, status: 'lost', markers: bits({ 'crash-gap': true }) });
  }
}

// ---- waits and gaps

/** What it waits for by name, where that has one: a lock, an upstream. */
function waitName(on: WaitFor): string {
  if (on.kind === 'authorization') return on.upstream;
  if (on.kind !== 'upstream') return on.kind;
  return [...(on.locks ?? []), ...(on.upstream === undefined ? [] : [on.upstream])].join(', ');
}

function waitRow(wait: WaitSpan, context: RowContext): RowDraft {
  const { on } = wait;
  const text = {
    kind: `wait-${on.kind}`,
    name: waitName(on),
    status: wait.endMs === undefined ? 'waiting' : 'ok',
  } as const;
  if (on.kind === 'authorization') {
    const verdict = on.answer?.verdict;
    if (verdict === undefined || verdict === 'granted') return row(wait, context, text);
    return row(wait, context, { ...text, status: 'denied', error: `authorization-${verdict}` });
  }
  if (on.kind !== 'approval') return row(wait, context, text);
  const markers = bits({ approval: true });
  switch (on.answer?.verdict) {
    case 'deny':
      return row(wait, context, { ...text, markers, status: 'denied', error: 'call-denied' });
    case 'expired':
      return row(wait, context, { ...text, markers, status: 'denied', error: 'approval-expired' });
    case 'approve':
    case undefined:
      return row(wait, context, { ...text, markers });
  }
}

function gapRow(gap: GapSpan, context: RowContext): RowDraft {
  const isKill = gap.cause === 'driver-changed';
  return row(gap, context, {
    kind: 'gap',
    name: gap.cause,
    status: isKill ? 'lost' : 'ok',
    markers: bits({ 'crash-gap': isKill }),
  });
}
