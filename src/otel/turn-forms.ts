/** The texts of the spans of a usual turn, each made the long way once for a run (`spans-of.ts`, `otlp-json.ts`) and filled in from then on. */
import type { Repair } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import type { Effect } from '../call/effect.ts';
import type { ModelFinished } from '../journal/entry.ts';
import type { CallSpan, ModelSpan, RunPart } from '../trace/trace.ts';
import { defined } from '../util/defined.ts';
import { attribute } from './conventions.ts';
import { spanText } from './otlp-json.ts';
import { partSpans, type TracedRun } from './spans-of.ts';
import { TextForm } from './text-form.ts';

/** What the span of a call says beside its times and its id. */
export interface SaidOfCall {
  readonly tool: string;
  readonly effect: Effect | undefined;
  readonly decision: Decision | undefined;
  readonly repairs: readonly Repair[];
  readonly upstream: string | undefined;
  readonly sandbox: string | undefined;
}

/** For a call that succeeded with its first attempt. */
export interface CallForm {
  readonly terms: SaidOfCall;
  /** Span id, start, end, call id. */
  readonly call: TextForm;
  /** Span id, that of the call, start, end. */
  readonly attempt: TextForm;
}

/** For a model call that was answered at once. */
export interface ModelForm {
  readonly like: ModelFinished;
  /** Span id, start, end, those of the numbers of tokens that are known (input, output, cached), step. */
  readonly model: TextForm;
}

const place = { span: '"spanId":"', parent: '"parentSpanId":"' } as const;
const times = ['"startTimeUnixNano":"', '"endTimeUnixNano":"'] as const;

/** Of one run, as one of its drivers has it. */
export class TurnForms {
  readonly #run: Pick<TracedRun, 'head' | 'ids'>;
  readonly #epoch: number;
  readonly #calls = new Map<string, CallForm>();
  #model: ModelForm | undefined;

  constructor(run: Pick<TracedRun, 'head' | 'ids'>, epoch: number) {
    this.#run = run;
    this.#epoch = epoch;
  }

  call(terms: SaidOfCall): CallForm {
    const known = this.#calls.get(terms.tool);
    if (known !== undefined && isSaidOf(known.terms, terms)) return known;
    const [call = '', attempt = ''] = this.#texts(this.#sampleCall(terms));
    const form = {
      terms,
      call: new TextForm(call, [place.span, ...times, textPlace(attribute.toolCallId)]),
      attempt: new TextForm(attempt, [place.span, place.parent, ...times]),
    };
    this.#calls.set(terms.tool, form);
    return form;
  }

  model(entry: ModelFinished): TextForm {
    if (this.#model !== undefined && isLike(this.#model.like, entry)) return this.#model.model;
    const { inputTokens, outputTokens, cachedInputTokens } = entry.usage;
    const [text = ''] = this.#texts(this.#sampleModel(entry));
    const model = new TextForm(text, [
      place.span,
      ...times,
      ...(inputTokens === undefined ? [] : [numberPlace(attribute.inputTokens)]),
      ...(outputTokens === undefined ? [] : [numberPlace(attribute.outputTokens)]),
      ...(cachedInputTokens === undefined ? [] : [numberPlace(attribute.cachedTokens)]),
      numberPlace(attribute.step),
    ]);
    this.#model = { like: { ...entry, parts: [] }, model };
    return model;
  }

  #texts(part: RunPart): readonly string[] {
    return partSpans(this.#run, part).map(([, span]) => spanText(span));
  }

  #sampleCall({ tool, effect, decision, repairs, upstream, sandbox }: SaidOfCall): CallSpan {
    const over = { seq: 0, epoch: this.#epoch, startMs: 0, endMs: 0 };
    const admission = upstream === undefined ? undefined : { upstream, waitedMs: 0, isProbe: false };
    const end = { status: 'succeeded', output: null } as const;
    return {
      kind: 'call',
      id: 'call',
      ...over,
      callId: '',
      tool,
      ...defined({ effect, decision }),
      repairs,
      outcome: end,
      children: [{ kind: 'attempt', id: 'attempt', ...over, attempt: 1, end, ...defined({ admission, sandbox }) }],
    };
  }

  #sampleModel({ finishReason, usage, respondedAs }: ModelFinished): ModelSpan {
    const over = { seq: 0, epoch: this.#epoch, startMs: 0, endMs: 0 };
    const end = { status: 'answered', parts: [], finishReason, usage, ...defined({ respondedAs }) } as const;
    const attempt = {
      kind: 'model-attempt',
      id: 'attempt',
      ...over,
      attempt: 1,
      items: 0,
      contextHash: '',
      end,
    } as const;
    return { kind: 'model', id: 'model', ...over, step: 0, children: [attempt] };
  }
}

function textPlace(name: string): string {
  return `{"key":"${name}","value":{"stringValue":"`;
}

function numberPlace(name: string): string {
  return `{"key":"${name}","value":{"intValue":"`;
}

function isSaidOf(known: SaidOfCall, terms: SaidOfCall): boolean {
  return (
    known.effect === terms.effect &&
    known.decision?.kind === terms.decision?.kind &&
    known.decision?.rule === terms.decision?.rule &&
    known.repairs.length === terms.repairs.length &&
    known.upstream === terms.upstream &&
    known.sandbox === terms.sandbox
  );
}

function isLike(known: ModelFinished, entry: ModelFinished): boolean {
  return (
    known.finishReason === entry.finishReason &&
    known.respondedAs === entry.respondedAs &&
    (known.usage.inputTokens === undefined) === (entry.usage.inputTokens === undefined) &&
    (known.usage.outputTokens === undefined) === (entry.usage.outputTokens === undefined) &&
    (known.usage.cachedInputTokens === undefined) === (entry.usage.cachedInputTokens === undefined)
  );
}
