/**
 * The spans of turns that go as most do, read off their entries: the model answers at once and asks for calls, each is allowed and succeeds with its first attempt.
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
import {
  type Append,
  type AttemptFinished,
  type CallEntry,
  type CallSettled,
  type Entry,
  isCallEntry,
  type ModelFinished,
} from '../journal/entry.ts';
import { nanos } from './otlp-json.ts';
import { callSpan, modelSpan, type OnEnded, type TracedRun } from './spans-of.ts';
import { type CallForm, TurnForms } from './turn-forms.ts';

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

interface OpenCall {
  readonly tool: string;
  readonly repairs: readonly Repair[];
  /** Times as the spans have them. */
  readonly start: string;
  readonly spanId: string;
  decision: Decision | undefined;
  isAdmitted: boolean;
  upstream: string | undefined;
  attemptStart: string | undefined;
  /** Once its attempt has ended. */
  form: CallForm | undefined;
}

const noRepairs: readonly Repair[] = [];
/** An id that needs no escaping. */
const plainId = /^[\w.]+$/u;

export class UsualTurns {
  readonly #ids: TracedRun['ids'];
  readonly #effectOf: (tool: string) => Effect | undefined;
  readonly #forms: TurnForms;
  readonly #epoch: number;
  readonly #calls = new Map<string, OpenCall>();
  #step = 0;
  /** When the model was asked; undefined when it is not being asked. */
  #asked: string | undefined;
  /** Since the entry that began what is open: `#from` is its place in the first of these appends, or in the one in hand when there is none. */
  #held: Append[] = [];
  #from = 0;
  #given: string[] = [];
  #behind: Behind;
  /** The time of the append in hand. */
  #time = '';
  #ended: OnEnded = () => {};

  constructor(
    run: Pick<TracedRun, 'head' | 'ids'>,
    {
      behind,
      epoch,
      effectOf,
    }: { readonly behind: Behind; readonly epoch: number; readonly effectOf: (tool: string) => Effect | undefined },
  ) {
    this.#ids = run.ids;
    this.#epoch = epoch;
    this.#behind = behind;
    this.#effectOf = effectOf;
    this.#forms = new TurnForms(run, epoch);
  }

  /** Takes in the next append and gives the spans that ended with it. False when it is none that it knows. */
  take(append: Append, ended: OnEnded): boolean {
    const { entries, epoch, atMs, firstSeq } = append;
    if (this.#held.length === 0) this.#from = 0;
    if (epoch !== this.#epoch) return this.#leave(append);
    this.#time = nanos(atMs);
    this.#ended = ended;
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index];
      if (entry === undefined || !this.#takeEntry(entry, atMs)) return this.#leave(append);
      if (this.#asked === undefined && this.#calls.size === 0) {
        this.#held = [];
        this.#given = [];
        this.#from = index + 1;
        this.#behind = { seq: firstSeq + index, epoch, atMs };
      }
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

  #takeEntry(entry: Entry, atMs: number): boolean {
    switch (entry.type) {
      case 'model-started':
        if (this.#asked !== undefined || this.#calls.size > 0 || entry.attempt !== 1) return false;
        this.#step = entry.step;
        this.#asked = this.#time;
        return true;
      case 'model-finished':
        return this.#answered(entry, atMs);
      case 'call-bound':
        return this.#bound(entry.call);
      default:
        return isCallEntry(entry) && this.#takeCall(entry, atMs);
    }
  }

  #answered(entry: ModelFinished, atMs: number): boolean {
    const { inputTokens, outputTokens, cachedInputTokens } = entry.usage;
    const tokens = [inputTokens, outputTokens, cachedInputTokens].filter((count) => count !== undefined);
    // Without a call the run ends, or waits for a message.
    if (this.#asked === undefined || !entry.parts.some(({ kind }) => kind === 'call')) return false;
    if (!tokens.every(Number.isSafeInteger)) return false;
    const spanId = this.#ids.of(modelSpan(this.#step, 1));
    const values = [spanId, this.#asked, this.#time, ...tokens.map(String), String(this.#step)];
    this.#asked = undefined;
    this.#ended(this.#forms.model(entry).filled(values), atMs);
    return true;
  }

  #bound({ callId, tool, repairs = noRepairs }: BoundCall): boolean {
    if (this.#asked !== undefined || this.#calls.has(callId) || !plainId.test(callId)) return false;
    const spanId = this.#ids.of(callSpan(callId));
    const open = {
      decision: undefined,
      isAdmitted: false,
      upstream: undefined,
      attemptStart: undefined,
      form: undefined,
    };
    this.#calls.set(callId, { tool, repairs, start: this.#time, spanId, ...open });
    return true;
  }

  #takeCall(entry: CallEntry, atMs: number): boolean {
    const call = this.#calls.get(entry.callId);
    if (call === undefined) return false;
    switch (entry.type) {
      case 'call-decided':
        if (call.decision !== undefined || entry.decision.kind !== 'allow') return false;
        call.decision = entry.decision;
        return true;
      case 'call-admitted':
        if (call.isAdmitted || call.attemptStart !== undefined || entry.waitedMs > 0) return false;
        call.isAdmitted = true;
        call.upstream = entry.upstream;
        return true;
      case 'attempt-started':
        if (call.attemptStart !== undefined || entry.attempt !== 1) return false;
        call.attemptStart = this.#time;
        return true;
      case 'attempt-finished':
        return this.#attempted(call, entry, atMs);
      case 'call-settled':
        return this.#settled(call, entry, atMs);
      default:
        return false;
    }
  }

  #attempted(call: OpenCall, { callId, attempt, result, sandbox }: AttemptFinished, atMs: number): boolean {
    const { attemptStart, form, tool, decision, repairs, upstream } = call;
    const isFirst = attempt === 1 && attemptStart !== undefined && form === undefined;
    if (!isFirst || result.status !== 'succeeded') return false;
    const made = this.#forms.call({ tool, effect: this.#effectOf(tool), decision, repairs, upstream, sandbox });
    const id = callSpan(callId, 1);
    call.form = made;
    this.#given.push(id);
    this.#ended(made.attempt.filled([this.#ids.of(id), call.spanId, attemptStart, this.#time]), atMs);
    return true;
  }

  #settled({ form, spanId, start }: OpenCall, { callId, status, outcome }: CallSettled, atMs: number): boolean {
    if (form === undefined || status !== 'succeeded' || outcome !== undefined) return false;
    this.#calls.delete(callId);
    this.#given.push(callSpan(callId));
    this.#ended(form.call.filled([spanId, start, this.#time, callId]), atMs);
    return true;
  }
}

function since(append: Append, from: number): Append {
  if (from === 0) return append;
  return { ...append, firstSeq: append.firstSeq + from, entries: append.entries.slice(from) };
}
