/**
 * The trace of a run as spans of OpenTelemetry.
 *
 * H1 The trace id is that of the run, a span's id a function of the run and of the span in it: whoever makes them, before a crash or after it, makes the same.
 * H2 No span holds arguments, results or words of anybody.
 */
import type {
  CallPart,
  CallSpan,
  DoubtSpan,
  ModelAttemptSpan,
  ModelSpan,
  RunPart,
  SpanPlace,
  TraceHead,
  VerifySpan,
  WaitSpan,
} from '../trace/trace.ts';
import { attribute, eventName, operation, resumedEvent, spanName, waitName } from './conventions.ts';
import { providerOf } from './provider-of.ts';
import type { SpanIds } from './span-id.ts';

export type AttributeValue = string | number | boolean | readonly string[];

/** In pairs, since there are dozens in each step and an object with such names costs ten times as much. What is undefined is not sent. */
export type Attributes = readonly (readonly [name: string, value: AttributeValue | undefined])[];

export interface OtelSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 'internal' | 'client';
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: readonly OtelEvent[];
  /** Ids of other spans of the trace that it has to do with. */
  readonly links?: readonly string[] | undefined;
  /** The code of what went wrong. */
  readonly error?: string | undefined;
}

export interface OtelEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Attributes;
}

/** A run as it is now. */
export interface TracedRun {
  readonly head: TraceHead;
  readonly parts: readonly RunPart[];
  readonly ids: SpanIds;
}

const none: readonly OtelEvent[] = [];

/** The id of the run itself among its spans. */
export const rootSpan = 'run';

/** Where spans go that have ended, as texts that a collector is sent. */
export interface SpanSink {
  add(text: string, endMs: number): void;
  /** For who writes a text itself: where it begins in `buffer`, which has room for so many bytes from there on. */
  room(bytes: number): number;
  readonly buffer: Uint8Array;
  /** It ends before this place. */
  wrote(end: number, endMs: number): void;
}

/** The id of an attempt of a model call among the spans of its run. */
export function modelSpan(step: number, attempt: number): string {
  return `model.${step}#${attempt}`;
}

/** The id of a call among the spans of its run, or that of an attempt of it. */
export function callSpan(callId: string, attempt?: number): string {
  return attempt === undefined ? `call.${callId}` : `call.${callId}#${attempt}`;
}

/** The span of the run itself. Of a run that has not ended it lasts until its last entry. */
export function runSpan({ head, parts, ids }: TracedRun): OtelSpan {
  const { kind, subject, ending, model, session } = head;
  const failed = ending?.kind === 'failed' || ending?.kind === 'stopped';
  return {
    traceId: head.traceId,
    spanId: ids.of(rootSpan),
    name:
      kind === 'agent'
        ? `${operation.run} ${subject}`
        : `${kind === 'call' ? spanName.call : spanName.undo} ${subject}`,
    kind: 'internal',
    startMs: head.startMs,
    endMs: head.lastMs,
    attributes: [
      [attribute.operation, kind === 'agent' ? operation.run : undefined],
      [attribute.agentName, kind === 'agent' ? subject : undefined],
      [attribute.requestModel, model],
      [attribute.conversationId, session],
      [attribute.runId, head.runId],
      [attribute.runKind, kind],
      [attribute.ending, ending?.kind],
      [attribute.errorType, failed ? (ending.failure?.code ?? ending.kind) : undefined],
    ],
    events: parts.flatMap(runEvent),
    ...(failed ? { error: ending.failure?.code ?? ending.kind } : {}),
  };
}

/** What happened at one moment of a run: a message, a cancel, and that another driver took it up. */
function runEvent(part: RunPart): readonly OtelEvent[] {
  if (part.kind === 'mark') return [{ name: eventName(part.mark.kind), atMs: part.startMs, attributes: [] }];
  if (part.kind !== 'gap' || part.cause === 'no-driver-yet') return [];
  const attributes: Attributes = [
    [attribute.epoch, part.takenByEpoch],
    [attribute.cause, part.cause],
  ];
  return [{ name: resumedEvent, atMs: part.endMs ?? part.startMs, attributes }];
}

/** The spans of one part of a run that have ended, under the ids of the trace, without those that `isKnown` names. */
export function partSpans(
  { head, ids }: Pick<TracedRun, 'head' | 'ids'>,
  part: RunPart,
  isKnown: (id: string) => boolean = () => false,
): readonly (readonly [id: string, span: OtelSpan])[] {
  const found: [string, OtelSpan][] = [];
  const add: Add = (place, parent, make) => {
    const { id, endMs, startMs, epoch } = place;
    if (endMs === undefined || isKnown(id)) return;
    const { name, kind = 'internal', events = none, links, error, attributes } = make();
    const span: OtelSpan = {
      traceId: head.traceId,
      spanId: ids.of(id),
      parentSpanId: ids.of(parent),
      name,
      kind,
      startMs,
      endMs,
      events,
      links,
      error,
      // Those whose values are other ones in each span come last. (span-form.ts)
      attributes: [
        [attribute.epoch, epoch],
        [attribute.conversationId, head.session],
        [attribute.errorType, error],
        ...attributes,
      ],
    };
    found.push([id, span]);
  };
  switch (part.kind) {
    case 'model':
      addModel(part, head, add);
      break;
    case 'call':
      addCall(part, add);
      break;
    case 'wait':
      addWait(part, rootSpan, add);
      break;
    case 'gap':
      add(part, rootSpan, () => ({
        name: spanName.gap,
        attributes: [[attribute.cause, part.cause]],
        links: part.lost.map((id) => ids.of(id)),
      }));
      break;
    case 'mark':
  }
  return found;
}

type Made = Pick<OtelSpan, 'name' | 'attributes'> & Partial<Pick<OtelSpan, 'kind' | 'events' | 'links' | 'error'>>;
type Add = (place: SpanPlace, parent: string, make: () => Made) => void;

function addModel(part: ModelSpan, { model = 'unknown' }: TraceHead, add: Add): void {
  for (const child of part.children) {
    if (child.kind === 'wait') addWait(child, rootSpan, add);
    else add(child, rootSpan, () => modelAttempt(child, part.step, model));
  }
}

function modelAttempt({ end, attempt }: ModelAttemptSpan, step: number, model: string): Made {
  const answered = end?.status === 'answered' ? end : undefined;
  const error = end?.status === 'failed' ? end.failure.code : end?.status === 'lost' ? 'lost' : undefined;
  return {
    name: `${operation.model} ${model}`,
    kind: 'client',
    attributes: [
      [attribute.operation, operation.model],
      [attribute.provider, providerOf(model)],
      [attribute.requestModel, model],
      [attribute.responseModel, answered?.respondedAs],
      [attribute.finishReasons, answered === undefined ? undefined : [answered.finishReason]],
      [attribute.attempt, attempt],
      [attribute.step, step],
      [attribute.inputTokens, answered?.usage.inputTokens],
      [attribute.outputTokens, answered?.usage.outputTokens],
      [attribute.cachedTokens, answered?.usage.cachedInputTokens],
    ],
    error,
  };
}

function addCall(call: CallSpan, add: Add): void {
  const { outcome, decision } = call;
  const error =
    outcome?.status === 'failed' ? outcome.failure.code : outcome?.status === 'denied' ? outcome.code : undefined;
  add(call, rootSpan, () => ({
    name: `${operation.tool} ${call.tool}`,
    attributes: [
      [attribute.operation, operation.tool],
      [attribute.toolName, call.tool],
      [attribute.toolType, 'function'],
      [attribute.effect, call.effect],
      [attribute.callStatus, outcome?.status],
      [attribute.decision, decision?.kind],
      [attribute.rule, decision?.rule],
      [attribute.cached, call.cached === undefined ? undefined : true],
      [attribute.repairs, call.repairs.length === 0 ? undefined : call.repairs.length],
      [attribute.toolCallId, call.callId],
    ],
    events: marksOf(call.children),
    error,
  }));
  for (const child of call.children) addCallPart(child, call.id, add);
}

function marksOf(parts: readonly CallPart[]): readonly OtelEvent[] {
  return parts.every(({ kind }) => kind === 'attempt' || kind === 'wait') ? none : parts.flatMap(markEvent);
}

/** What happened at one moment of a call. */
function markEvent(part: CallPart): readonly OtelEvent[] {
  switch (part.kind) {
    case 'evidence':
      return [{ name: eventName(part.kind), atMs: part.startMs, attributes: [[attribute.attempt, part.attempt]] }];
    case 'stand-in':
      return [{ name: eventName(part.kind), atMs: part.startMs, attributes: [[attribute.toolName, part.tool]] }];
    case 'refused-by-upstream':
      return [
        {
          name: eventName(part.kind),
          atMs: part.startMs,
          attributes: [
            [attribute.upstream, part.upstream],
            [attribute.errorType, part.failure.code],
          ],
        },
      ];
    case 'breaker':
      return [
        {
          name: eventName(part.kind),
          atMs: part.startMs,
          attributes: [
            [attribute.upstream, part.upstream],
            [attribute.verdict, part.to],
          ],
        },
      ];
    default:
      return [];
  }
}

function addCallPart(part: CallPart, parent: string, add: Add): void {
  switch (part.kind) {
    case 'attempt': {
      const { end } = part;
      const error = end?.status === 'failed' ? end.failure.code : end?.status === 'lost' ? 'lost' : undefined;
      const attributes: Attributes = [
        [attribute.attempt, part.attempt],
        [attribute.sandbox, part.sandbox],
        [attribute.upstream, part.admission?.upstream],
      ];
      add(part, parent, () => ({ name: spanName.attempt, kind: 'client', attributes, error }));
      return;
    }
    case 'wait':
      addWait(part, parent, add);
      return;
    case 'doubt':
      addDoubt(part, parent, add);
      break;
    default:
  }
}

function addDoubt(doubt: DoubtSpan, parent: string, add: Add): void {
  add(doubt, parent, () => ({
    name: spanName.doubt,
    attributes: [
      [attribute.reason, doubt.reason],
      [attribute.verdict, doubt.resolution?.verdict.kind],
    ],
  }));
  for (const child of doubt.children) {
    if (child.kind === 'wait') addWait(child, doubt.id, add);
    else add(child, doubt.id, () => verify(child));
  }
}

function verify({ round, end }: VerifySpan): Made {
  const verdict = end?.status === 'answered' ? end.verdict.kind : undefined;
  return {
    name: spanName.verify,
    attributes: [
      [attribute.attempt, round],
      [attribute.verdict, verdict],
    ],
  };
}

function addWait(wait: WaitSpan, parent: string, add: Add): void {
  const { on } = wait;
  const answer = on.kind === 'approval' || on.kind === 'authorization' ? on.answer?.verdict : undefined;
  const upstream = on.kind === 'authorization' || on.kind === 'upstream' ? on.upstream : undefined;
  add(wait, parent, () => ({
    name: waitName(on.kind),
    attributes: [
      [attribute.verdict, answer],
      [attribute.upstream, upstream],
    ],
  }));
}
