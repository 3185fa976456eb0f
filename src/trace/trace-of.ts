/**
 * From the appends of a run to its trace.
 *
 * T1 Pure: a trace is a function of the appends alone, and every prefix of a journal has one. What is still under way is an open span.
 * T2 Nothing is guessed: what a lost driver had in hand ends as `lost`, with the last time at which the journal knew of it.
 * T3 Entries that name a call which the appends never opened are passed over, so that a part of a journal can be shown too.
 */
import type { Effect } from '../call/effect.ts';
import type { ContractPin } from '../call/pin.ts';
import type { Publication } from '../call/publication.ts';
import { valueAt } from '../contract/pointer.ts';
import type { ModelPart, Usage } from '../call/message.ts';
import {
  type Append,
  type CallBound,
  type CallEntry,
  type CallRefused,
  type ContractMigrated,
  type Entry,
  isCallEntry,
  type ModelFailed,
  type ModelFinished,
  type ModelStarted,
  type RunAccepted,
  type RunFinished,
  subjectOf,
} from '../journal/entry.ts';
import { impliedOutcome } from '../journal/implied-outcome.ts';
import {
  type EntryPlace,
  isOpenWait,
  loseCall,
  migratedCall,
  opened,
  rests,
  traceCall,
  underWay,
  waitSpan,
  workOf,
} from './call-trace.ts';
import { closedWait, loseModel, openAttempts, traceModelEnd, traceModelStart } from './model-trace.ts';
import { totalsOf } from './totals.ts';
import type { CallSpan, GapSpan, MarkSpan, RunPart, Trace, TraceHead } from './trace.ts';
import { defined } from '../util/defined.ts';

/** The trace of a run, or of as much of it as `appends` hold. */
export function traceOf(appends: readonly Append[]): Trace {
  const builder = new TraceBuilder();
  for (const append of appends) builder.take(append);
  return builder.trace();
}

/** The same, append by append, for whoever follows a run: an append costs what it changes, however long the run is. */
export class TraceBuilder {
  #accepted: RunAccepted | undefined;
  #finished: RunFinished | undefined;
  readonly #parts: RunPart[] = [];
  readonly #callIndexes = new Map<string, number>();
  /** The calls that the model asked for in a step, in its own words. */
  readonly #intents = new Map<number, readonly Extract<ModelPart, { kind: 'call' }>[]>();
  /** The effect of each tool that the run pinned, as it counts now. */
  readonly #effects = new Map<string, Effect>();
  /** What each tool publishes, where it does. */
  readonly #publications = new Map<string, readonly Publication[]>();
  #step = 0;
  #startMs: number | undefined;
  #last: EntryPlace = { seq: 0, epoch: 0, atMs: 0, firstSeq: 0 };
  #tokens = { input: 0, output: 0 };
  /** Places of the parts in which something is open. */
  readonly #open = new Set<number>();
  /** Places of the parts that the append in hand has begun or changed. */
  #changed = new Set<number>();

  /** Takes in the next append and gives the places in `parts` of what began or changed. */
  take(append: Append): ReadonlySet<number> {
    this.#startMs ??= append.atMs;
    this.#changed = new Set();
    const { firstSeq, epoch, atMs } = append;
    append.entries.forEach((entry, index) => {
      const place = { seq: firstSeq + index, epoch, atMs, firstSeq };
      this.#takeEntry(entry, place);
      this.#last = place;
    });
    return this.#changed;
  }

  /** Goes on behind entries that are not taken in: everything that began in them has ended in them. */
  passed({ seq, epoch, atMs }: Pick<EntryPlace, 'seq' | 'epoch' | 'atMs'>): void {
    this.#last = { seq, epoch, atMs, firstSeq: seq };
  }

  /** The effect of a tool that the run pinned, as it counts now. */
  effectOf(tool: string): Effect | undefined {
    return this.#effects.get(tool);
  }

  /** True when an answer without calls lets the run wait for a message. */
  get awaitsMessages(): boolean {
    const task = this.#accepted?.task;
    return task?.kind === 'agent' && task.agent.onAnswer === 'wait';
  }

  /** What stands under the run, as it is now. A part keeps its place. */
  get parts(): readonly RunPart[] {
    return this.#parts;
  }

  /** Places of the parts in which something goes on. */
  get openParts(): ReadonlySet<number> {
    return this.#open;
  }

  /** Tokens of all model calls, as their providers counted them. */
  get tokens(): { readonly input: number; readonly output: number } {
    return this.#tokens;
  }

  /** What is known of the run itself. */
  get head(): TraceHead {
    const { task, runId, traceId, fork, session } = this.#accepted ?? {
      task: undefined,
      runId: '',
      traceId: '',
      fork: undefined,
      session: undefined,
    };
    return {
      runId,
      traceId,
      kind: task?.kind ?? 'agent',
      subject: task === undefined ? '' : subjectOf(task),
      input: task === undefined || task.kind === 'undo' ? null : task.input,
      startMs: this.#startMs ?? 0,
      lastMs: this.#last.atMs,
      epoch: this.#last.epoch,
      seq: this.#last.seq,
      ...(session === undefined ? {} : { session }),
      ...(fork === undefined ? {} : { fork: { of: fork.of, step: fork.step, changed: fork.changed } }),
      ...(task?.kind === 'agent' ? { model: task.agent.model } : {}),
      ...(this.#finished === undefined ? {} : { ending: endingOf(this.#finished) }),
    };
  }

  trace(): Trace {
    const { head } = this;
    const parts = [...this.#parts];
    return { ...head, parts, totals: totalsOf(parts, head.lastMs - head.startMs, head.lastMs) };
  }

  #takeEntry(entry: Entry, place: EntryPlace): void {
    if (isCallEntry(entry)) {
      this.#takeCall(entry, place);
      return;
    }
    switch (entry.type) {
      case 'run-accepted':
        this.#accepted = entry;
        for (const contract of entry.task.contracts) this.#pin(contract);
        break;
      case 'run-claimed':
        this.#claim(place);
        break;
      case 'run-held':
        this.#add(waitSpan(`held.${place.seq}`, place, { kind: 'code', reason: entry.reason, remedy: entry.remedy }));
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
      case 'contract-migrated':
        this.#migrate(entry, place);
        break;
      case 'contract-rebound':
        this.#pin(entry.contract);
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
    for (const index of [...this.#open].toSorted((left, right) => left - right)) {
      const part = this.#parts[index];
      if (part?.kind === 'call') {
        lost.push(...underWay(part, place.epoch).map((span) => span.id));
        if (rests(part)) resting.push(part.id);
        this.#set(index, loseCall(part, place, before.atMs));
      } else if (part?.kind === 'model') {
        lost.push(...openAttempts(part).map((span) => span.id));
        if (part.children.some(isOpenWait)) resting.push(part.id);
        this.#set(index, loseModel(part, place, before.atMs));
      } else if (part !== undefined && isOpenWait(part)) {
        resting.push(part.id);
      }
    }
    const cause = lost.length > 0 ? 'driver-changed' : before.epoch === 0 ? 'no-driver-yet' : 'driver-left';
    if (cause !== 'driver-changed' && resting.length > 0) return;
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
    this.#add(gap);
  }

  // ---- model

  #takeModel(entry: ModelStarted | ModelFinished | ModelFailed, place: EntryPlace): void {
    const index = this.#parts.findLastIndex((part) => part.kind === 'model');
    const before = this.#parts[index];
    const model = before?.kind === 'model' ? before : undefined;
    if (entry.type === 'model-started') {
      this.#step = entry.step;
      const started = traceModelStart(model, entry, place);
      this.#set(started.id === model?.id ? index : this.#parts.length, started);
      return;
    }
    if (model === undefined) return;
    this.#set(index, traceModelEnd(model, entry, place));
    if (entry.type === 'model-finished') this.#count(entry.usage);
    if (entry.type === 'model-finished') this.#afterAnswer(entry, place);
  }

  #count({ inputTokens = 0, outputTokens = 0 }: Usage): void {
    this.#tokens = { input: this.#tokens.input + inputTokens, output: this.#tokens.output + outputTokens };
  }

  #afterAnswer(entry: ModelFinished, place: EntryPlace): void {
    const calls = entry.parts.filter((part) => part.kind === 'call');
    this.#intents.set(this.#step, calls);
    const awaitsMessage = this.awaitsMessages && calls.length === 0 && entry.unreadable === undefined;
    if (awaitsMessage) this.#add(waitSpan(`message.${place.seq}`, place, { kind: 'message' }));
  }

  // ---- calls

  #boundCall({ call }: CallBound, place: EntryPlace): CallSpan {
    return {
      kind: 'call',
      ...opened(`call.${call.callId}`, place),
      callId: call.callId,
      tool: call.tool,
      ...defined({ effect: this.#effects.get(call.tool) }),
      input: call.input,
      ...defined({ argumentsText: this.#argumentsText(call.callId) }),
      repairs: call.repairs ?? [],
      ...defined({ filled: call.filled }),
      children: [],
    };
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
    const dot = callId.indexOf('.');
    if (dot < 0) return undefined;
    return this.#intents.get(Number(callId.slice(0, dot)))?.[Number.parseInt(callId.slice(dot + 1), 10)]?.argumentsText;
  }

  #openCall(call: CallSpan): void {
    this.#callIndexes.set(call.callId, this.#parts.length);
    this.#add(call);
  }

  #takeCall(entry: CallEntry, place: EntryPlace): void {
    const index = this.#callIndexes.get(entry.callId);
    const call = index === undefined ? undefined : this.#parts[index];
    if (index === undefined || call?.kind !== 'call') return;
    const traced = traceCall(call, entry, place);
    if (entry.type === 'call-fell-back') this.#set(index, this.#withEffects(traced));
    else this.#set(index, call.outcome === undefined ? this.#withPublished(traced) : traced);
  }

  #withEffects(call: CallSpan): CallSpan {
    const children = call.children.map((part) =>
      part.kind === 'stand-in' ? { ...part, ...defined({ effect: this.#effects.get(part.tool) }) } : part,
    );
    return { ...call, children };
  }

  /** What a call published stands in its outcome, at the places that the run pinned. */
  #withPublished(call: CallSpan): CallSpan {
    const publications = this.#publications.get(call.tool);
    if (publications === undefined || call.outcome?.status !== 'succeeded') return call;
    const { output } = call.outcome;
    const published = publications.flatMap(({ key, at }) => {
      const value = valueAt(output, at);
      return value === undefined ? [] : [{ key, value }];
    });
    return { ...call, published };
  }

  #pin({ name, terms }: ContractPin): void {
    this.#effects.set(name, terms.effect);
    if (terms.publishes !== undefined) this.#publications.set(name, terms.publishes);
    else if (this.#publications.size > 0) this.#publications.delete(name);
  }

  #migrate({ contract, fromVersion, calls = [] }: ContractMigrated, place: EntryPlace): void {
    const { name: tool, version, terms } = contract;
    this.#pin(contract);
    this.#mark(
      { kind: 'contract-migrated', tool, fromVersion, version, calls: calls.map(({ callId }) => callId) },
      place,
    );
    for (const { callId, input } of calls) {
      const index = this.#callIndexes.get(callId);
      const call = index === undefined ? undefined : this.#parts[index];
      if (index !== undefined && call?.kind === 'call') {
        this.#set(index, { ...migratedCall(call, input, place), effect: terms.effect });
      }
    }
  }

  // ---- marks and waits of the run

  #mark(mark: MarkSpan['mark'], place: EntryPlace): void {
    this.#add({ kind: 'mark', ...opened(`mark.${place.seq}`, place), endMs: place.atMs, mark });
  }

  #endWait(kind: 'code' | 'message', place: EntryPlace): void {
    for (const index of this.#open) {
      const part = this.#parts[index];
      if (part?.kind === 'wait' && part.on.kind === kind) this.#set(index, closedWait(part, place));
    }
  }

  // ---- parts

  #add(part: RunPart): void {
    this.#set(this.#parts.length, part);
  }

  #set(index: number, part: RunPart): void {
    if (this.#parts[index] === part) return;
    this.#parts[index] = part;
    this.#changed.add(index);
    if (isOpen(part)) this.#open.add(index);
    else this.#open.delete(index);
  }
}

/** True while something in it goes on: a call that is settled may have left an attempt under way. */
function isOpen(part: RunPart): boolean {
  if (part.endMs === undefined) return true;
  return part.kind === 'call' && workOf(part).some((span) => span.endMs === undefined);
}

function endingOf({ ending, output, failure }: RunFinished): NonNullable<Trace['ending']> {
  return { kind: ending, output, ...defined({ failure }) };
}
