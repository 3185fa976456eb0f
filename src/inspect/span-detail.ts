/** Everything that the journal says of one span, and which of its entries say it. */
import { stepOfCall } from '../call/call-id.ts';
import { placedEntries } from '../journal/placed-entries.ts';
import { identityOf } from '../call/chain.ts';
import type { Append, Entry } from '../journal/entry.ts';
import { idempotencyKeyOf } from '../run/idempotency-key.ts';
import type { SpanRow } from '../trace/table/span-table.ts';
import type { SpanTableBuilder } from '../trace/table/table-builder.ts';
import type { CallSpan, RunPart, Span, WaitFor } from '../trace/trace.ts';
import { defined } from '../util/defined.ts';
import { SpanColumns } from '../trace/table/span-columns.ts';

/** One entry of a span: what `axle show --entries` and the raw view of the debugger show. */
export interface SpanEntry {
  /** `epoch.seq` */
  readonly id: string;
  readonly seq: number;
  readonly atMs: number;
  readonly entry: Entry;
}

export interface SpanDetail {
  readonly runId: string;
  /** The span as a row of the table, and the rows directly below it. */
  readonly row: SpanRow;
  readonly children: readonly SpanRow[];
  readonly startMs: number;
  /** Absent while it is open. */
  readonly endMs?: number;
  /** The span itself, with everything in it; absent for the run and for steps. Large values are named as the appends name them. */
  readonly span?: Span;
  /** The key that every attempt of a call with a side effect carries; of a chain, that of the tool that has the call now. */
  readonly idempotencyKey?: string;
  readonly entries: readonly SpanEntry[];
}

/** Undefined when the run has no such span. @param builder Has taken in `appends`. */
export function spanDetail(
  builder: SpanTableBuilder,
  appends: readonly Append[],
  spanId: string,
): SpanDetail | undefined {
  const columns = new SpanColumns();
  columns.apply(builder.table());
  const index = columns.indexOf(spanId);
  const row = columns.row(index);
  if (row === undefined) return undefined;
  const owner = builder.parts.find((part) => spanIn(part, spanId) !== undefined);
  const span = owner === undefined ? undefined : spanIn(owner, spanId);
  const belongs = belonging(row, span, owner);
  return {
    runId: columns.runId,
    row,
    children: Array.from(columns.ids.keys()).flatMap((place) =>
      columns.parent[place] === index ? (columns.row(place) ?? []) : [],
    ),
    startMs: columns.startMs + row.start,
    ...(row.duration === -1 ? {} : { endMs: columns.startMs + row.start + row.duration }),
    ...defined({ span, idempotencyKey: span?.kind === 'call' ? keyOf(columns.runId, span) : undefined }),
    entries: spannedEntries(appends)
      .filter(belongs)
      .map(({ id, seq, atMs, entry }) => ({ id, seq, atMs, entry })),
  };
}

function spanIn(span: Span, id: string): Span | undefined {
  if (span.id === id) return span;
  if (!('children' in span)) return undefined;
  for (const child of span.children) {
    const found = spanIn(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An entry with what it is about: entries of a model say neither their step nor their attempt. */
interface SpannedEntry extends SpanEntry {
  readonly step: number | undefined;
  readonly modelAttempt: number | undefined;
  readonly callId: string | undefined;
}

function spannedEntries(appends: readonly Append[]): readonly SpannedEntry[] {
  let model = { step: 0, attempt: 0 };
  return appends.flatMap(placedEntries).map(({ id, seq, atMs, entry }): SpannedEntry => {
    if (entry.type === 'model-started') model = { step: entry.step, attempt: entry.attempt };
    const isModel = entry.type === 'model-started' || entry.type === 'model-finished' || entry.type === 'model-failed';
    const callId = entry.type === 'call-bound' ? entry.call.callId : 'callId' in entry ? entry.callId : undefined;
    const step = isModel ? model.step : callId === undefined ? undefined : stepOfCall(callId);
    return { id, seq, atMs, entry, step, callId, modelAttempt: isModel ? model.attempt : undefined };
  });
}

/** Which entries a span is made of. */
function belonging(
  row: SpanRow,
  span: Span | undefined,
  owner: RunPart | undefined,
): (placed: SpannedEntry) => boolean {
  if (row.kind === 'run') return ({ step }) => step === undefined;
  if (row.kind === 'step') return ({ step }) => step === row.step;
  if (span === undefined || owner === undefined) return ({ seq }) => seq === row.seq0;
  if (span.kind === 'model') return ({ step, modelAttempt }) => modelAttempt !== undefined && step === span.step;
  if (span.kind === 'call') return ({ callId }) => callId === span.callId;
  if (span.kind === 'model-attempt') {
    return ({ step, modelAttempt }) => step === row.step && modelAttempt === span.attempt;
  }
  if (owner.kind !== 'call') return ({ seq }) => seq === span.seq;
  const isOwn = inCall(span, owner);
  return ({ callId, seq, entry }) => callId === owner.callId && (seq === span.seq || isOwn(entry, seq));
}

/** Which entries of its call a span is made of, beside the one that began it. */
function inCall(span: Span, call: CallSpan): (entry: Entry, seq: number) => boolean {
  // What comes after a second doubt is about that one.
  const nextDoubt = call.children.find((part) => part.kind === 'doubt' && part.seq > span.seq)?.seq ?? Infinity;
  switch (span.kind) {
    case 'attempt':
      return (entry) => entry.type === 'attempt-finished' && entry.attempt === span.attempt;
    case 'doubt':
      return ({ type }, seq) =>
        seq > span.seq &&
        seq < nextDoubt &&
        (type === 'verify-started' || type === 'verify-finished' || type === 'call-resolved');
    case 'verify':
      return (entry, seq) =>
        seq > span.seq && seq < nextDoubt && entry.type === 'verify-finished' && entry.round === span.round;
    case 'wait':
      return (entry) => endsWait(entry, span.on);
    default:
      return () => false;
  }
}

/** True for the answer to what a wait asked a person. */
function endsWait(entry: Entry, on: WaitFor): boolean {
  switch (entry.type) {
    case 'approval-answered':
    case 'approval-expired':
      return on.kind === 'approval' && on.approvalId === entry.approvalId;
    case 'authorization-answered':
    case 'authorization-expired':
      return on.kind === 'authorization' && on.authorizationId === entry.authorizationId;
    default:
      return false;
  }
}

function keyOf(runId: string, { callId, effect, children }: CallSpan): string | undefined {
  if (effect === undefined || effect === 'read') return undefined;
  const standIn = children.findLast((part) => part.kind === 'stand-in');
  const link = standIn?.kind === 'stand-in' ? standIn.link : undefined;
  return idempotencyKeyOf(runId, identityOf({ callId, ...defined({ link }) }));
}
