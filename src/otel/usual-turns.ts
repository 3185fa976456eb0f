/**
 * The spans of turns that go as most do, read off their entries: the model answers at once, each call is allowed and succeeds with its first attempt.
 *
 *   resting ──model-started──► asked ──model-finished──► calling ──the last call is settled──► resting
 *
 * U1 What is given is what the trace of the same entries gives (`trace-of.ts`, `spans-of.ts`), at the same append; a test holds the two together.
 * U2 Whatever it does not know, it leaves: `take` returns false, and `left` is what the trace has to take in to go on, from the entry on that began what is open.
 * U3 Nothing is kept of what has ended.
 */
import type { BoundCall, Repair } from '../call/call.ts';
import type { Decision } from '../call/decision.ts';
import type { Effect } from '../call/effect.ts';
import type { ModelPart } from '../call/message.ts';
import type { Append, AttemptFinished, CallSettled, Entry, ModelFinished } from '../journal/entry.ts';
import type { SpanForm } from './span-form.ts';
import { callSpan, modelSpan, type SpanSink, type TracedRun } from './spans-of.ts';
import { type CallForm, TurnForms } from './turn-forms.ts';
import { hasUsualDigits, writeAscii, writeNanos, writeWhole } from './write-text.ts';

/** Where it begins, and what is known of the run. */
export interface UsualTurnsOptions {
  /** Where the entry before the first stands. */
  readonly behind: Behind;
  readonly epoch: number;
  readonly effectOf: (tool: string) => Effect | undefined;
  /** True when an answer without calls lets the run wait for a message. */
  readonly awaitsMessages: boolean;
}

/** A place between two entries. */
export interface Behind {
  readonly seq: number;
  readonly epoch: number;
  readonly atMs: number;
}

export interface Left {
  /** The entry before those in `appends`. */
  readonly behind: Behind;
  readonly appends: readonly Append[];
  /** Ids of spans that were given of them. */
  readonly given: readonly string[];
}

class OpenCall {
  readonly tool: string;
  readonly repairs: readonly Repair[];
  readonly startMs: number;
  decision: Decision | undefined;
  isAdmitted = false;
  upstream: string | undefined;
  attemptStartMs: number | undefined;
  /** Once its attempt has ended. */
  form: CallForm | undefined;

  constructor({ tool, repairs = noRepairs }: BoundCall, startMs: number) {
    this.tool = tool;
    this.repairs = repairs;
    this.startMs = startMs;
  }
}

const noRepairs: readonly Repair[] = [];
/** An id that needs no escaping. */
const plainId = /^[\w.]{1,64}$/u;
/** Bytes for an id of a call, or for four numbers. */
const roomForValues = 64;

export class UsualTurns {
  readonly #ids: TracedRun['ids'];
  readonly #options: UsualTurnsOptions;
  readonly #forms: TurnForms;
  readonly #calls = new Map<string, OpenCall>();
  #step = 0;
  /** When the model was asked; undefined when it is not being asked. */
  #askedMs: number | undefined;
  /** Since the entry that began what is open: `#from` is its place in the first of these appends, or in the one in hand when there is none. */
  #held: Append[] = [];
  #from = 0;
  #given: string[] = [];
  #behind: Behind;
  /** The time of the append in hand. */
  #atMs = 0;
  /** The place after the block of the span in hand. */
  #end = 0;

  constructor(run: Pick<TracedRun, 'head' | 'ids'>, options: UsualTurnsOptions) {
    this.#ids = run.ids;
    this.#options = options;
    this.#behind = options.behind;
    this.#forms = new TurnForms(run, options.epoch);
  }

  /** Takes in the next append and gives the spans that ended with it. False when it is none that it knows. */
  take(append: Append, sink: SpanSink): boolean {
    const { entries, epoch, atMs } = append;
    if (this.#held.length === 0) this.#from = 0;
    this.#atMs = atMs;
    if (epoch !== this.#options.epoch || !hasUsualDigits(atMs)) return this.#leave(append);
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index];
      if (entry === undefined || !this.#takeEntry(entry, sink)) return this.#leave(append);
      if (this.#askedMs === undefined && this.#calls.size === 0) this.#rest(append, index);
    }
    if (this.#from < entries.length || this.#held.length > 0) this.#held.push(append);
    return true;
  }

  /** What somebody else has to take in, once `take` has returned false. */
  get left(): Left {
    const [first, ...rest] = this.#held;
    const appends = first === undefined ? [] : [since(first, this.#from), ...rest];
    return { behind: this.#behind, appends, given: this.#given };
  }

  #leave(append: Append): false {
    this.#held.push(append);
    return false;
  }

  /** Nothing is open after this entry. */
  #rest({ firstSeq, epoch, atMs }: Append, index: number): void {
    if (this.#held.length > 0) this.#held = [];
    if (this.#given.length > 0) this.#given = [];
    this.#from = index + 1;
    this.#behind = { seq: firstSeq + index, epoch, atMs };
  }

  #takeEntry(entry: Entry, sink: SpanSink): boolean {
    switch (entry.type) {
      case 'model-started':
        if (this.#askedMs !== undefined || this.#calls.size > 0 || entry.attempt !== 1) return false;
        this.#step = entry.step;
        this.#askedMs = this.#atMs;
        return true;
      case 'model-finished':
        return this.#answered(entry, sink);
      case 'call-bound': {
        const { callId } = entry.call;
        if (this.#askedMs !== undefined || this.#calls.has(callId) || !plainId.test(callId)) return false;
        this.#calls.set(callId, new OpenCall(entry.call, this.#atMs));
        return true;
      }
      case 'call-decided': {
        const call = this.#calls.get(entry.callId);
        if (call === undefined || call.decision !== undefined || entry.decision.kind !== 'allow') return false;
        call.decision = entry.decision;
        return true;
      }
      case 'call-admitted': {
        const call = this.#calls.get(entry.callId);
        if (call === undefined || call.isAdmitted || call.attemptStartMs !== undefined) return false;
        if (entry.waitedMs > 0) return false;
        call.isAdmitted = true;
        call.upstream = entry.upstream;
        return true;
      }
      case 'attempt-started': {
        const call = this.#calls.get(entry.callId);
        if (call === undefined || call.attemptStartMs !== undefined || entry.attempt !== 1) return false;
        call.attemptStartMs = this.#atMs;
        return true;
      }
      case 'attempt-finished':
        return this.#attempted(entry, sink);
      case 'call-settled':
        return this.#settled(entry, sink);
      default:
        return false;
    }
  }

  #answered(entry: ModelFinished, sink: SpanSink): boolean {
    const { inputTokens, outputTokens, cachedInputTokens } = entry.usage;
    const areWhole = isWhole(inputTokens) && isWhole(outputTokens) && isWhole(cachedInputTokens);
    if (this.#askedMs === undefined || !areWhole) return false;
    if (this.#options.awaitsMessages && !entry.parts.some(asksForCall)) return false;
    const form = this.#forms.model(entry);
    const at = this.#begin(form, sink);
    const { buffer } = sink;
    this.#ids.write(modelSpan(this.#step, 1), buffer, at + form.places.span);
    writeNanos(this.#askedMs, buffer, at + form.places.start);
    let end = form.goOn(0, buffer, writeWhole(this.#step, buffer, this.#end));
    let value = 1;
    if (inputTokens !== undefined) end = form.goOn(value++, buffer, writeWhole(inputTokens, buffer, end));
    if (outputTokens !== undefined) end = form.goOn(value++, buffer, writeWhole(outputTokens, buffer, end));
    if (cachedInputTokens !== undefined) end = form.goOn(value, buffer, writeWhole(cachedInputTokens, buffer, end));
    this.#askedMs = undefined;
    sink.wrote(end, this.#atMs);
    return true;
  }

  #attempted({ callId, attempt, result, sandbox }: AttemptFinished, sink: SpanSink): boolean {
    const call = this.#calls.get(callId);
    if (call?.attemptStartMs === undefined || call.form !== undefined) return false;
    if (attempt !== 1 || result.status !== 'succeeded') return false;
    const { tool, decision, repairs, upstream } = call;
    const effect = this.#options.effectOf(tool);
    call.form = this.#forms.call({ tool, effect, decision, repairs, upstream, sandbox });
    const { attempt: form } = call.form;
    const id = callSpan(callId, 1);
    const at = this.#begin(form, sink);
    const { buffer } = sink;
    this.#ids.write(id, buffer, at + form.places.span);
    this.#ids.write(callSpan(callId), buffer, at + form.places.parent);
    writeNanos(call.attemptStartMs, buffer, at + form.places.start);
    this.#given.push(id);
    sink.wrote(this.#end, this.#atMs);
    return true;
  }

  #settled({ callId, status, outcome }: CallSettled, sink: SpanSink): boolean {
    const call = this.#calls.get(callId);
    if (call?.form === undefined || status !== 'succeeded' || outcome !== undefined) return false;
    const { call: form } = call.form;
    const id = callSpan(callId);
    const at = this.#begin(form, sink);
    const { buffer } = sink;
    this.#ids.write(id, buffer, at + form.places.span);
    writeNanos(call.startMs, buffer, at + form.places.start);
    this.#calls.delete(callId);
    this.#given.push(id);
    sink.wrote(form.goOn(0, buffer, writeAscii(callId, buffer, this.#end)), this.#atMs);
    return true;
  }

  /** Writes the block of a span that ends now, and gives the place where it begins. */
  #begin(form: SpanForm, sink: SpanSink): number {
    const at = sink.room(form.length + roomForValues);
    this.#end = form.begin(sink.buffer, at);
    writeNanos(this.#atMs, sink.buffer, at + form.places.end);
    return at;
  }
}

function asksForCall({ kind }: ModelPart): boolean {
  return kind === 'call';
}

function isWhole(count: number | undefined): boolean {
  return count === undefined || (Number.isSafeInteger(count) && count >= 0);
}

function since(append: Append, from: number): Append {
  if (from === 0) return append;
  return { ...append, firstSeq: append.firstSeq + from, entries: append.entries.slice(from) };
}
