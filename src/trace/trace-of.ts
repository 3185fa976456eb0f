/**
 * From the appends of a run to its trace.
 *
 * T1 Pure: a trace is a function of the appends alone, and every prefix of a journal has one. What is still under way is an open span.
 * T2 Nothing is guessed: what a lost driver had in hand ends as `lost`, with the last time at which the journal knew of it.
 * T3 Entries that name a call which the appends never opened are passed over, so that a part of a journal can be shown too.
 */
import type { Effect } from '../call/effect.ts';
import type { ModelPart } from '../call/message.ts';
import {
  type Append,
  type CallBound,
  type CallEntry,
  type CallRefused,
  type Entry,
  isCallEntry,
  type ModelFinished,
  type RunAccepted,
  type RunFinished,
} from '../journal/entry.ts';
import { impliedOutcome } from '../journal/implied-outcome.ts';
import { type EntryPlace, isOpenWait, loseCall, opened, rests, traceCall, underWay, waitSpan } from './call-trace.ts';
import { totalsOf } from './totals.ts';
import type { CallSpan, GapSpan, MarkSpan, ModelAttemptSpan, ModelSpan, RunPart, Trace } from './trace.ts';
import { defined } from '../util/defined.ts';

/** The trace of a run, or of as much of it as `appends` hold. */
export function traceOf(appends: readonly Append[]): Trace {
  const builder = new TraceBuilder();
  for (const append of appends) builder.take(append);
  return builder.trace();
}

class TraceBuilder {
  #accepted: RunAccepted | undefined;
  #finished: RunFinished | undefined;
  readonly #parts: RunPart[] = [];
  readonly #callIndexes = new Map<string, number>();
  /** The calls that the model asked for in a step, in its own words. */
  readonly #intents = new Map<number, readonly Extract<ModelPart, { kind: 'call' }>[]>();
  #step = 0;
  #startMs: number | undefined;
  #last: EntryPlace = { seq: 0, epoch: 0, atMs: 0 };

  take(append: Append): void {
    this.#startMs ??= append.atMs;
    append.entries.forEach((entry, index) => {
      const place = { seq: append.firstSeq + index, epoch: append.epoch, atMs: append.atMs };
      this.#takeEntry(entry, place);
      this.#last = place;
    });
  }

  trace(): Trace {
    const { task, runId, traceId } = this.#accepted ?? { task: undefined, runId: '', traceId: '' };
    const startMs = this.#startMs ?? 0;
    return {
      runId,
      traceId,
      kind: task?.kind ?? 'agent',
      subject: task === undefined ? '' : task.kind === 'agent' ? task.agent.name : task.tool,
      input: task?.input ?? null,
      startMs,
      lastMs: this.#last.atMs,
      epoch: this.#last.epoch,
      seq: this.#last.seq,
      ...(this.#finished === undefined ? {} : { ending: endingOf(this.#finished) }),
      parts: this.#parts,
      totals: totalsOf(this.#parts, this.#last.atMs - startMs, this.#last.atMs),
    };
  }

  #takeEntry(entry: Entry, place: EntryPlace): void {
    if (isCallEntry(entry)) {
      this.#takeCall(entry, place);
      return;
    }
    switch (entry.type) {
      case 'run-accepted':
        this.#accepted = entry;
        break;
      case 'run-claimed':
        this.#claim(place);
        break;
      case 'run-held':
        this.#parts.push(
          waitSpan(`held.${place.seq}`, place, { kind: 'code', reason: entry.reason, remedy: entry.remedy }),
        );
        break;
      case 'run-released':
        this.#endWait('code', place);
        break;
      case 'run-finished':
        this.#finished = entry;
        for (const kind of ['code', 'message'] as const) this.#endWait(kind, place);
        break;
      case 'model-started':
      case 'model-finished':
      case 'model-failed':
        this.#takeModel(entry, place);
        break;
      case 'call-bound':
        this.#openCall(this.#boundCall(entry, place));
        break;
      case 'call-refused':
        this.#openCall(this.#refusedCall(entry, place));
        break;
      case 'timer-fired':
        break;
      case 'contract-rebound':
        this.#mark({ kind: 'contract-rebound', tool: entry.contract.name, version: entry.contract.version }, place);
        break;
      case 'message-received':
        this.#endWait('message', place);
        this.#mark({ kind: 'message', text: entry.text }, place);
        break;
      case 'cancel-requested':
        this.#mark({ kind: 'cancel', reason: entry.reason, ...defined({ by: entry.by }) }, place);
        break;
      case 'post-refused':
        this.#mark({ kind: 'post-refused', about: entry.about, failure: entry.failure }, place);
    }
  }

  // ---- drivers

  /** Another driver has the run: what the last one had in hand is lost (T2). A run that rested misses nothing. */
  #claim(place: EntryPlace): void {
    const before = this.#last;
    const lost: string[] = [];
    const resting: string[] = [];
    this.#parts.forEach((part, index) => {
      if (part.kind === 'call') {
        lost.push(...underWay(part, place.epoch).map((span) => span.id));
        if (rests(part)) resting.push(part.id);
        this.#parts[index] = loseCall(part, place, before.atMs);
      } else if (part.kind === 'model') {
        lost.push(
          ...part.children
            .filter((child) => child.kind === 'model-attempt' && child.endMs === undefined)
            .map((child) => child.id),
        );
        if (part.children.some(isOpenWait)) resting.push(part.id);
        this.#parts[index] = loseModel(part, place, before.atMs);
      } else if (isOpenWait(part)) {
        resting.push(part.id);
      }
    });
    const cause = lost.length > 0 ? 'driver-lost' : before.epoch === 0 ? 'no-driver-yet' : 'driver-left';
    if (cause !== 'driver-lost' && resting.length > 0) return;
    const gap: GapSpan = {
      kind: 'gap',
      ...opened(`gap.${place.seq}`, place),
      epoch: before.epoch,
      startMs: before.atMs,
      endMs: place.atMs,
      cause,
      lost,
      takenByEpoch: place.epoch,
    };
    this.#parts.push(gap);
  }

  // ---- model

  #takeModel(
    entry: Extract<Entry, { type: 'model-started' | 'model-finished' | 'model-failed' }>,
    place: EntryPlace,
  ): void {
    if (entry.type === 'model-started') {
      this.#step = entry.step;
      const id = `model.${entry.step}`;
      const attempt: ModelAttemptSpan = {
        kind: 'model-attempt',
        ...opened(`${id}#${entry.attempt}`, place),
        attempt: entry.attempt,
        items: entry.items,
        contextHash: entry.contextHash,
      };
      const index = this.#parts.findLastIndex((part) => part.kind === 'model');
      const before = this.#parts[index];
      if (before?.kind !== 'model' || before.id !== id) {
        this.#parts.push({ kind: 'model', ...opened(id, place), step: entry.step, children: [attempt] });
      } else {
        this.#parts[index] = {
          ...before,
          children: [...before.children.map((child) => closedWait(child, place)), attempt],
        };
      }
      return;
    }
    const index = this.#parts.findLastIndex((part) => part.kind === 'model');
    const model = this.#parts[index];
    if (model?.kind !== 'model') return;
    const end =
      entry.type === 'model-finished' ? answered(entry) : ({ status: 'failed', failure: entry.failure } as const);
    const children = model.children.map((child) =>
      child.kind === 'model-attempt' && child.endMs === undefined ? { ...child, endMs: place.atMs, end } : child,
    );
    if (entry.type === 'model-failed' && entry.retryAtMs !== undefined) {
      const attempt = children.filter((child) => child.kind === 'model-attempt').length + 1;
      const wait = waitSpan(`${model.id}~${attempt}`, place, { kind: 'retry', attempt, dueAtMs: entry.retryAtMs });
      this.#parts[index] = { ...model, children: [...children, wait] };
      return;
    }
    this.#parts[index] = { ...model, children, endMs: place.atMs };
    if (entry.type === 'model-finished') this.#afterAnswer(entry, place);
  }

  #afterAnswer(entry: ModelFinished, place: EntryPlace): void {
    const calls = entry.parts.filter((part) => part.kind === 'call');
    this.#intents.set(this.#step, calls);
    const task = this.#accepted?.task;
    const awaitsMessage =
      task?.kind === 'agent' && task.agent.onAnswer === 'wait' && calls.length === 0 && entry.unreadable === undefined;
    if (awaitsMessage) this.#parts.push(waitSpan(`message.${place.seq}`, place, { kind: 'message' }));
  }

  // ---- calls

  #boundCall({ call }: CallBound, place: EntryPlace): CallSpan {
    return {
      kind: 'call',
      ...opened(`call.${call.callId}`, place),
      callId: call.callId,
      tool: call.tool,
      ...this.#effectOf(call.tool),
      input: call.input,
      ...defined({ argumentsText: this.#argumentsText(call.callId) }),
      repairs: call.repairs ?? [],
      children: [],
    };
  }

  /** The effect that the run pinned for a tool. */
  #effectOf(tool: string): { readonly effect?: Effect } {
    const pin = this.#accepted?.task.contracts.find((contract) => contract.name === tool);
    return defined({ effect: pin?.terms.effect });
  }

  #refusedCall(entry: CallRefused, place: EntryPlace): CallSpan {
    return {
      kind: 'call',
      ...opened(`call.${entry.callId}`, place),
      endMs: place.atMs,
      callId: entry.callId,
      tool: entry.toolName,
      argumentsText: entry.argumentsText,
      repairs: [],
      children: [],
      refusal: { failure: entry.failure, dropped: entry.dropped === true },
      outcome: impliedOutcome(entry),
    };
  }

  /** A call is named by the step and its place among the calls that the model asked for in it. */
  #argumentsText(callId: string): string | undefined {
    const [step, index] = callId.split('.').map(Number);
    return step === undefined || index === undefined ? undefined : this.#intents.get(step)?.[index]?.argumentsText;
  }

  #openCall(call: CallSpan): void {
    this.#callIndexes.set(call.callId, this.#parts.length);
    this.#parts.push(call);
  }

  #takeCall(entry: CallEntry, place: EntryPlace): void {
    const index = this.#callIndexes.get(entry.callId);
    const call = index === undefined ? undefined : this.#parts[index];
    if (index !== undefined && call?.kind === 'call') this.#parts[index] = traceCall(call, entry, place);
  }

  // ---- marks and waits of the run

  #mark(mark: MarkSpan['mark'], place: EntryPlace): void {
    this.#parts.push({ kind: 'mark', ...opened(`mark.${place.seq}`, place), endMs: place.atMs, mark });
  }

  #endWait(kind: 'code' | 'message', place: EntryPlace): void {
    this.#parts.forEach((part, index) => {
      if (part.kind === 'wait' && part.on.kind === kind) this.#parts[index] = closedWait(part, place);
    });
  }
}

function closedWait<S extends { readonly kind: string; readonly endMs?: number }>(span: S, place: EntryPlace): S {
  return span.kind === 'wait' && span.endMs === undefined ? { ...span, endMs: place.atMs } : span;
}

function loseModel(model: ModelSpan, place: EntryPlace, lastSeenMs: number): ModelSpan {
  const end = { status: 'lost', lastSeenMs } as const;
  return {
    ...model,
    children: model.children.map((child) =>
      child.kind === 'model-attempt' && child.endMs === undefined ? { ...child, endMs: place.atMs, end } : child,
    ),
  };
}

function answered(entry: ModelFinished): NonNullable<ModelAttemptSpan['end']> {
  const { parts, finishReason, usage, unreadable, respondedAs } = entry;
  return {
    status: 'answered',
    parts,
    finishReason,
    usage,
    ...defined({ unreadable, respondedAs }),
  };
}

function endingOf({ ending, output, failure }: RunFinished): NonNullable<Trace['ending']> {
  return { kind: ending, output, ...defined({ failure }) };
}
