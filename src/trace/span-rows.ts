/** A trace as rows: one for each span, children below their parent. A span with a single attempt is one row. */
import type { Failure } from '../call/outcome.ts';
import {
  admissionWords,
  answerWords,
  breakerWords,
  callWords,
  doubtWords,
  failureText,
  gapWords,
  markWords,
  outcomeWords,
  rawWords,
  refusedWords,
  standInWords,
  verifyWords,
  waitWords,
} from './span-words.ts';
import { workEndMs } from './totals.ts';
import type {
  AttemptSpan,
  CallPart,
  CallSpan,
  DoubtSpan,
  EvidenceMark,
  ModelAttemptSpan,
  ModelSpan,
  RunPart,
  SpanPlace,
  StandInMark,
  Trace,
  VerifySpan,
  WaitSpan,
} from './trace.ts';

/** How a row is drawn. `frame` holds other rows together. */
export type Look = 'frame' | 'work' | 'failed' | 'lost' | 'wait' | 'gap' | 'doubt' | 'mark';

export interface Row {
  readonly look: Look;
  readonly depth: number;
  readonly label: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isOpen: boolean;
  /** Until when it was certainly at work; `startMs` for everything that is not work. */
  readonly busyUntilMs: number;
  readonly notes: readonly string[];
  /** Why it failed, where it did; one of the notes says more. */
  readonly reason?: string;
}

/** All rows, in the order in which spans began. */
export function rowsOf(trace: Trace): readonly Row[] {
  return trace.parts.flatMap((part) => partRows(part, trace));
}

type RowText = Pick<Row, 'look' | 'depth' | 'label' | 'reason'> & {
  readonly notes?: readonly string[];
  readonly busyUntilMs?: number;
};

function row(span: SpanPlace, trace: Trace, text: RowText): Row {
  const isOpen = span.endMs === undefined;
  return {
    startMs: span.startMs,
    endMs: span.endMs ?? trace.lastMs,
    isOpen,
    busyUntilMs: span.startMs,
    notes: [],
    ...text,
  };
}

/** What is said of a failure below its row, and in it. */
function failureNote(failure: Failure): Pick<Row, 'reason' | 'notes'> {
  const text = failureText(failure);
  return { reason: text, notes: [text] };
}

function partRows(part: RunPart, trace: Trace): readonly Row[] {
  switch (part.kind) {
    case 'model':
      return modelRows(part, trace);
    case 'call':
      return callRows(part, trace);
    case 'wait':
      return [waitRow(part, trace, 0)];
    case 'gap':
      return [row(part, trace, { look: 'gap', depth: 0, ...gapWords(part) })];
    case 'mark':
      return [row(part, trace, { look: 'mark', depth: 0, label: markWords(part) })];
  }
}

function modelRows(model: ModelSpan, trace: Trace): readonly Row[] {
  const label = `model ${model.step}`;
  const [only] = model.children;
  if (only?.kind === 'model-attempt' && model.children.length === 1) {
    return [modelAttemptRow(only, trace, { label, depth: 0 })];
  }
  return [
    row(model, trace, { look: 'frame', depth: 0, label }),
    ...model.children.map((child) =>
      child.kind === 'wait'
        ? waitRow(child, trace, 1)
        : modelAttemptRow(child, trace, { label: `attempt ${child.attempt}`, depth: 1 }),
    ),
  ];
}

function modelAttemptRow(
  span: ModelAttemptSpan,
  trace: Trace,
  place: { readonly label: string; readonly depth: number },
): Row {
  const { end } = span;
  const busyUntilMs = workEndMs(span, trace.lastMs);
  switch (end?.status) {
    case undefined:
      return row(span, trace, { look: 'work', ...place, busyUntilMs });
    case 'answered':
      return row(span, trace, { look: 'work', ...place, busyUntilMs, notes: answerWords(end, span) });
    case 'failed':
      return row(span, trace, { look: 'failed', ...place, busyUntilMs, ...failureNote(end.failure) });
    case 'lost':
      return row(span, trace, {
        look: 'lost',
        ...place,
        busyUntilMs,
        notes: ['cut off by the end of its driver; it is asked again'],
      });
  }
}

function callRows(call: CallSpan, trace: Trace): readonly Row[] {
  const label = `${call.tool} ${call.callId}${call.effect === undefined ? '' : ` (${call.effect})`}`;
  const words = callWords(call);
  const [only] = call.children;
  if (only?.kind === 'attempt' && call.children.length === 1 && only.end?.status === 'succeeded') {
    const busyUntilMs = workEndMs(only, trace.lastMs);
    const said = [...sandboxWords(only), ...words, ...admissionWords(only)];
    return [row(only, trace, { look: 'work', depth: 0, label, notes: said, busyUntilMs })];
  }
  const failure = call.refusal?.failure ?? (call.outcome?.status === 'failed' ? call.outcome.failure : undefined);
  return [
    row(call, trace, {
      look: call.refusal === undefined ? 'frame' : 'failed',
      depth: 0,
      label,
      ...(failure === undefined ? {} : failureNote(failure)),
      notes: words,
    }),
    ...call.children.flatMap((part) => callPartRows(part, trace)),
  ];
}

function callPartRows(part: CallPart, trace: Trace): readonly Row[] {
  switch (part.kind) {
    case 'attempt':
      return [attemptRow(part, trace)];
    case 'wait':
      return [waitRow(part, trace, 1)];
    case 'doubt':
      return doubtRows(part, trace);
    case 'evidence':
      return [evidenceRow(part, trace)];
    case 'stand-in':
      return [standInRow(part, trace)];
    case 'refused-by-upstream':
      return [row(part, trace, { look: 'mark', depth: 1, ...refusedWords(part) })];
    case 'breaker':
      return [row(part, trace, { look: 'mark', depth: 1, ...breakerWords(part, trace.startMs) })];
  }
}

function attemptRow(span: AttemptSpan, trace: Trace): Row {
  const { end } = span;
  const before = [...admissionWords(span), ...sandboxWords(span)];
  const text = { depth: 1, label: `attempt ${span.attempt}`, busyUntilMs: workEndMs(span, trace.lastMs) };
  switch (end?.status) {
    case undefined:
    case 'succeeded':
      return row(span, trace, { look: 'work', ...text, notes: before });
    case 'failed':
      return row(span, trace, {
        look: 'failed',
        ...text,
        ...failureNote(end.failure),
        notes: [...before, failureText(end.failure), ...rawWords(end)],
      });
    case 'lost':
      return row(span, trace, { look: 'lost', ...text, notes: [...before, 'cut off by the end of its driver'] });
  }
}

function standInRow(span: StandInMark, trace: Trace): Row {
  const label = `FALLBACK to ${span.tool}${span.effect === undefined ? '' : ` (${span.effect})`}`;
  return row(span, trace, { look: 'mark', depth: 1, label, notes: standInWords(span) });
}

function sandboxWords({ sandbox }: AttemptSpan): readonly string[] {
  return sandbox === undefined ? [] : [`ran in ${sandbox}`];
}

function evidenceRow(span: EvidenceMark, trace: Trace): Row {
  const { result } = span;
  const outcome = result.status === 'succeeded' ? outcomeWords(result) : `failed ${failureText(result.failure)}`;
  return row(span, trace, {
    look: 'mark',
    depth: 1,
    label: `late answer of attempt ${span.attempt}`,
    notes: [outcome],
  });
}

function doubtRows(doubt: DoubtSpan, trace: Trace): readonly Row[] {
  return [
    row(doubt, trace, { look: 'doubt', depth: 1, label: 'IN DOUBT', notes: doubtWords(doubt) }),
    ...doubt.children.map((child) => (child.kind === 'wait' ? waitRow(child, trace, 2) : verifyRow(child, trace))),
  ];
}

function verifyRow(span: VerifySpan, trace: Trace): Row {
  const look = span.end?.status === 'lost' ? 'lost' : span.end?.failure === undefined ? 'work' : 'failed';
  return row(span, trace, {
    look,
    depth: 2,
    label: `verify, round ${span.round}`,
    notes: verifyWords(span),
    busyUntilMs: workEndMs(span, trace.lastMs),
  });
}

function waitRow(span: WaitSpan, trace: Trace, depth: number): Row {
  return row(span, trace, { look: 'wait', depth, ...waitWords(span.on, trace.startMs) });
}
