/**
 * What is being said about one run, kept once for everyone who reads along: provisional events in order, and the newest entries.
 *
 * C1 It is bounded. What is too much is first joined (pieces of one text), then dropped from the old end; entries are in the journal anyway.
 * C2 A source (a model call, an attempt) of which a piece was dropped is torn: whoever did not see it from its beginning is not shown the rest.
 * C3 A provisional event stands behind the last entry that was committed when it was said, and keeps its number.
 */
import { entryId } from '../journal/placed-entries.ts';
import { type Append, type Entry, lastSeqOf } from '../journal/entry.ts';
import type { RunStatus } from '../journal/store.ts';
import type { LiveEvent } from '../run/engine.ts';
import { outsideReasons } from '../run/outside-reasons.ts';
import type { ProvisionalEvent, StreamEvent } from './stream-event.ts';
import { idOf, isBefore, type StreamPlace } from './stream-place.ts';

/** What one run keeps at most: events, and characters of them and of entries as JSON text. */
export interface ChannelLimits {
  readonly events: number;
  readonly chars: number;
}

/** What an event counts beside its text. */
const charsAround = 200;

type EntryEvent = Extract<StreamEvent, { kind: 'entry' }>;
type Place = Omit<StreamPlace, 'epoch'>;

/** Whatever is settled by one entry: a model call, an attempt. */
export interface Source {
  /** The entry that made it final, or void. */
  settledSeq: number;
  isTorn: boolean;
}

/** An event that is kept, or several that were joined. */
export interface Kept extends StreamPlace {
  /** The number of the first event that was joined into it; its own where none was. */
  readonly first: number;
  readonly event: ProvisionalEvent;
  readonly source: Readonly<Source>;
  readonly chars: number;
}

export class RunChannel {
  readonly #limits: ChannelLimits;
  #kept: Kept[] = [];
  readonly #entries = new Map<number, { readonly event: EntryEvent; readonly chars: number }>();
  /** Sources that no entry has settled yet. */
  readonly #open = new Map<string, Source>();
  /** The last provisional event that was dropped. */
  #gone: Place = { seq: 0, ahead: 0 };
  #end: StreamPlace;
  #chars = 0;
  readonly #waiting = new Set<() => void>();
  /** Why the store could not be looked at. */
  fault: { readonly error: unknown } | undefined;
  /** How often something changed: who looked before it did need not wait. */
  changes = 0;
  /** Readers that are attached: entries are kept only for them. */
  readers = 0;
  /** True while this process drives the run. */
  isDriven = false;

  constructor(limits: ChannelLimits, end: { readonly epoch: number; readonly seq: number }) {
    this.#limits = limits;
    this.#end = { ...end, ahead: 0 };
  }

  /** Where the last thing that was said stands. */
  get end(): StreamPlace {
    return this.#end;
  }

  /** Characters that are kept. */
  get chars(): number {
    return this.#chars;
  }

  /** Takes in what was committed, whoever tells it first. */
  committed(append: Append): void {
    const { epoch, atMs, firstSeq } = append;
    const lastSeq = lastSeqOf(append);
    if (lastSeq <= this.#end.seq) return;
    if (epoch > this.#end.epoch) this.#settle(firstSeq);
    let seq = firstSeq - 1;
    for (const entry of append.entries) {
      seq += 1;
      if (this.#open.size > 0) this.#settleBy(entry, seq);
      if (this.readers === 0) continue;
      const chars = JSON.stringify(entry).length + charsAround;
      this.#entries.set(seq, { event: { kind: 'entry', id: entryId({ epoch, seq }), seq, atMs, entry }, chars });
      this.#chars += chars;
    }
    this.#end = { epoch, seq: lastSeq, ahead: 0 };
    this.#trim();
    this.wake();
  }

  /** Takes in where the run stands: that it waits for somebody is worth an event, once. */
  stands(status: RunStatus): void {
    if (status.state !== 'waiting' && status.state !== 'held') return;
    const on = outsideReasons(status.waitingOn);
    if (on.length > 0 && !this.#open.has('rest')) this.#say({ kind: 'waiting', on }, 'rest');
  }

  /** Takes in what a driver says; one that has lost the run is not heard. */
  told(event: LiveEvent, epoch: number): void {
    if (epoch !== this.#end.epoch) return;
    this.#say(event, 'callId' in event ? event.callId : 'model');
  }

  /** The first kept event after a place. */
  after(place: Place): Kept | undefined {
    let low = 0;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const item = this.#kept[middle];
      if (item === undefined || isBefore(place, item)) high = middle;
      else low = middle + 1;
    }
    return this.#kept[low];
  }

  /** True when an event right after a place is kept no longer, or only joined with what came before it. */
  hasLost(place: Place): boolean {
    if (isBefore(place, this.#gone)) return true;
    const next = this.after(place);
    return next !== undefined && next.seq === place.seq && next.first <= place.ahead;
  }

  /** The place before the first event that no entry has settled: where somebody begins who has seen none of it. */
  get beginning(): Place {
    const first = this.#kept.find(({ source }) => source.settledSeq === Infinity);
    return first === undefined ? this.#end : { seq: first.seq, ahead: first.first - 1 };
  }

  /** What no entry has settled yet. */
  get open(): Iterable<Readonly<Source>> {
    return this.#open.values();
  }

  /** An entry that is kept. */
  entry(seq: number): EntryEvent | undefined {
    return this.#entries.get(seq)?.event;
  }

  /** Calls back once, at the next change. */
  whenChanged(listener: () => void): void {
    this.#waiting.add(listener);
  }

  stopWaiting(listener: () => void): void {
    this.#waiting.delete(listener);
  }

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Tells everyone who waits. */
  wake(): void {
    this.changes += 1;
    if (this.#waiting.size === 0) return;
    const listeners = [...this.#waiting];
    this.#waiting.clear();
    for (const listener of listeners) listener();
  }

  /** Lets go of everything that is kept; readers go on with the journal. */
  clear(): void {
    while (this.#kept.length > 0) this.#dropOldest(this.#kept.length);
    this.#entries.clear();
    this.#chars = 0;
  }

  #say(event: ProvisionalEvent, key: string): void {
    const source = this.#open.get(key) ?? { settledSeq: Infinity, isTorn: false };
    this.#open.set(key, source);
    const ahead = this.#end.ahead + 1;
    const chars = charsOf(event) + charsAround;
    this.#end = { ...this.#end, ahead };
    this.#kept.push({ ...this.#end, first: ahead, event, source, chars });
    this.#chars += chars;
    this.#trim();
    this.wake();
  }

  #settleBy(entry: Entry, seq: number): void {
    this.#settle(seq, 'rest');
    if (entry.type === 'model-finished' || entry.type === 'model-failed') this.#settle(seq, 'model');
    if (entry.type === 'attempt-finished' || entry.type === 'verify-finished') this.#settle(seq, entry.callId);
    if (entry.type === 'run-finished') this.#settle(seq);
  }

  #settle(seq: number, key?: string): void {
    for (const each of key === undefined ? [...this.#open.keys()] : [key]) {
      const source = this.#open.get(each);
      if (source === undefined) continue;
      source.settledSeq = seq;
      this.#open.delete(each);
    }
  }

  #trim(): void {
    if (!this.#isTooMuch()) return;
    for (const [seq, { chars }] of this.#entries) {
      if (!this.#isTooMuch()) return;
      this.#entries.delete(seq);
      this.#chars -= chars;
    }
    this.#join();
    if (this.#isTooMuch()) this.#dropOldest(Math.ceil(this.#kept.length / 4));
    while (this.#isTooMuch()) this.#dropOldest(1);
  }

  #isTooMuch(): boolean {
    return this.#chars > this.#limits.chars || this.#kept.length > this.#limits.events;
  }

  /** Joins the pieces of each text in the older half: whoever has come that far has read them. */
  #join(): void {
    const half = this.#kept.length >> 1;
    const joined: Kept[] = [];
    for (const item of this.#kept.slice(0, half)) {
      const last = joined.at(-1);
      const both = last === undefined ? undefined : join(last, item);
      if (both === undefined) joined.push(item);
      else joined[joined.length - 1] = both;
      this.#chars += both === undefined ? 0 : -charsAround;
    }
    this.#kept = [...joined, ...this.#kept.slice(half)];
  }

  #dropOldest(count: number): void {
    for (const { seq, ahead, chars, source } of this.#kept.splice(0, count)) {
      this.#gone = { seq, ahead };
      this.#chars -= chars;
      this.#tear(source);
    }
  }

  #tear(source: Readonly<Source>): void {
    for (const open of this.#open.values()) if (open === source) open.isTorn = true;
  }
}

function join(left: Kept, right: Kept): Kept | undefined {
  if (left.source !== right.source || left.seq !== right.seq) return undefined;
  const [before, after] = [left.event, right.event];
  if (!('part' in before) || !('part' in after) || before.kind !== after.kind || before.part !== after.part) {
    return undefined;
  }
  const event = { ...after, text: before.text + after.text };
  return { ...right, first: left.first, event, chars: left.chars + right.chars - charsAround };
}

function charsOf(event: ProvisionalEvent): number {
  switch (event.kind) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'call-delta':
      return event.text.length;
    case 'tool-progress':
    case 'tool-log':
      return JSON.stringify(event.data).length;
    case 'waiting':
      return JSON.stringify(event.on).length;
  }
}

/** A kept event as a reader is given it. */
export function streamed(kept: Kept): StreamEvent {
  return { ...kept.event, id: idOf(kept) };
}
