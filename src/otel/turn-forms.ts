/** The texts of the spans of a usual turn, made the long way (`spans-of.ts`, `otlp-json.ts`) for the first of its kind in this process and filled in from then on. */
import type { Repair } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import type { Effect } from '../call/effect.ts';
import type { ModelFinished } from '../journal/entry.ts';
import type { CallSpan, ModelSpan, RunPart } from '../trace/trace.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { defined } from '../util/defined.ts';
import { attribute } from './conventions.ts';
import { spanText } from './otlp-json.ts';
import { SpanForm } from './span-form.ts';
import { partSpans, rootSpan, type TracedRun } from './spans-of.ts';

/** What the spans of a call say beside times and ids. */
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
  readonly said: SaidOfCall;
  /** Open is the id of the call. */
  readonly call: SpanForm;
  /** Nothing is open. */
  readonly attempt: SpanForm;
}

/** For a model call that was answered at once. */
interface ModelForm {
  readonly like: ModelFinished;
  /** Open are the step, and those numbers of tokens that are known: input, output, cached. */
  readonly model: SpanForm;
}

/** Kinds of spans that forms are kept of. */
const maxForms = 500;
const shared = new BoundedMap<string, readonly SpanForm[]>(maxForms);
/** A time of as many digits as usual ones have. */
const someMs = 1_700_000_000_000;
const someTrace = '0'.repeat(32);

/** Of one run, as one of its drivers has it. */
export class TurnForms {
  readonly #run: Pick<TracedRun, 'head' | 'ids'>;
  readonly #root: string;
  readonly #epoch: number;
  readonly #calls = new Map<string, CallForm>();
  #model: ModelForm | undefined;

  constructor(run: Pick<TracedRun, 'head' | 'ids'>, epoch: number) {
    this.#run = run;
    this.#root = run.ids.of(rootSpan);
    this.#epoch = epoch;
  }

  call(said: SaidOfCall): CallForm {
    const known = this.#calls.get(said.tool);
    if (known !== undefined && isSame(known.said, said)) return known;
    const { tool, effect, decision, repairs, upstream, sandbox } = said;
    const [call, attempt] = this.#forms(
      ['call', tool, effect, decision?.kind, decision?.rule, repairs.length, upstream, sandbox],
      { part: () => this.#sampleCall(said), open: [[`{"key":"${attribute.toolCallId}","value":{"stringValue":"`], []] },
    );
    if (call === undefined || attempt === undefined) throw new Error('A call and its attempt are two spans.');
    const form = { said, call, attempt };
    this.#calls.set(tool, form);
    return form;
  }

  model(entry: ModelFinished): SpanForm {
    if (this.#model !== undefined && isLike(this.#model.like, entry)) return this.#model.model;
    const { inputTokens, outputTokens, cachedInputTokens } = entry.usage;
    const numbers = [
      attribute.step,
      ...(inputTokens === undefined ? [] : [attribute.inputTokens]),
      ...(outputTokens === undefined ? [] : [attribute.outputTokens]),
      ...(cachedInputTokens === undefined ? [] : [attribute.cachedTokens]),
    ];
    const [model] = this.#forms(['model', this.#run.head.model, entry.finishReason, entry.respondedAs, ...numbers], {
      part: () => this.#sampleModel(entry),
      open: [numbers.map((name) => `{"key":"${name}","value":{"intValue":"`)],
    });
    if (model === undefined) throw new Error('An attempt of a model call is a span.');
    this.#model = { like: { ...entry, parts: [] }, model };
    return model;
  }

  /** The forms of the spans of a part, for this run. `key` is all that their texts depend on but the session, which few runs share. */
  #forms(
    key: readonly unknown[],
    { part, open }: { readonly part: () => RunPart; readonly open: readonly (readonly string[])[] },
  ): readonly SpanForm[] {
    const { head, ids } = this.#run;
    const text = JSON.stringify([this.#epoch, ...key]);
    const known = head.session === undefined ? shared.get(text) : undefined;
    const spans = known === undefined ? partSpans({ head: { ...head, traceId: someTrace }, ids }, part()) : [];
    const forms = known ?? spans.map(([, span], place) => SpanForm.cut(spanText(span), open[place] ?? []));
    if (known === undefined && head.session === undefined) shared.set(text, forms);
    return forms.map((form) => form.ofRun({ traceId: head.traceId, root: this.#root }));
  }

  #sampleCall({ tool, effect, decision, repairs, upstream, sandbox }: SaidOfCall): CallSpan {
    const over = { seq: 0, epoch: this.#epoch, startMs: someMs, endMs: someMs };
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
    const over = { seq: 0, epoch: this.#epoch, startMs: someMs, endMs: someMs };
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

function isSame(known: SaidOfCall, said: SaidOfCall): boolean {
  return (
    known.effect === said.effect &&
    known.decision?.kind === said.decision?.kind &&
    known.decision?.rule === said.decision?.rule &&
    known.repairs.length === said.repairs.length &&
    known.upstream === said.upstream &&
    known.sandbox === said.sandbox
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
