/**
 * One reader of the stream of a run. It keeps its own place; everything else is shared or read from the journal when it gets there.
 *
 * D1 An entry comes after everything that was said before it, once, and none is left out, whatever the reader came with and however slow it is. (V1)
 * D2 Where an entry makes void what was shown (another driver has taken the run, the model call failed), a reset stands before it, for every reader.
 * D3 What is being written is shown from its beginning, or not before its entry.
 */
import { placedEntries } from '../journal/placed-entries.ts';
import { unknownRun } from '../journal/checks.ts';
import { type Append, lastSeqOf } from '../journal/entry.ts';
import type { Store } from '../journal/store.ts';
import type { LiveRuns } from './live-runs.ts';
import { type RunChannel, type Source, streamed } from './run-channel.ts';
import type { ResetReason, StreamEvent } from './stream-event.ts';
import { idOf, placeOf, type StreamPlace } from './stream-place.ts';

export interface StreamOptions {
  /** The id of the last event that was seen. @defaultValue from the first entry on */
  readonly after?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
}

export interface StreamParts {
  readonly store: Store;
  readonly live: LiveRuns;
  readonly runId: string;
}

type EntryEvent = Extract<StreamEvent, { kind: 'entry' }>;

/** Appends that a reader takes from the journal at a time: what it may hold while nobody takes them from it. */
const pageSize = 8;

/**
 * Reads along until the run has ended.
 * @throws AxleError `run-unknown`, `usage-invalid` for an `after` that is no id, `limit-exceeded`, `store-unavailable`
 */
export async function* readStream(parts: StreamParts, options: StreamOptions = {}): AsyncGenerator<StreamEvent> {
  const { store, live, runId } = parts;
  const after = options.after === undefined ? undefined : placeOf(options.after);
  const common = after === undefined ? undefined : await commonPlace(store, runId, after);
  const summary = await store.run(runId);
  if (summary === undefined) throw unknownRun(runId);
  const channel = live.attach(summary);
  try {
    const isEnded = summary.status.state === 'ended' && (common?.seq ?? 0) >= summary.seq;
    const reader = new Reader(parts, channel, { after, common, isEnded });
    while (options.signal?.aborted !== true) {
      const since = channel.changes;
      const event = await reader.next();
      if (event === undefined) await live.changed({ runId, channel }, since, options.signal);
      else yield event;
      if (event?.kind === 'ended') return;
    }
  } finally {
    live.detach(runId, channel);
  }
}

class Reader {
  readonly #parts: StreamParts;
  readonly #channel: RunChannel;
  /** The last entry that was given. */
  #entry: StreamPlace;
  /** The last provisional event that was given or passed over. */
  #place: Omit<StreamPlace, 'epoch'>;
  /** What was settled up to here need not be shown as it came about. */
  readonly #settledSeq: number;
  /** The reader may hold pieces that no entry has settled. */
  #holdsPieces: boolean;
  /** Sources of which it has seen everything so far. */
  #followed = new WeakSet<Readonly<Source>>();
  #page: EntryEvent[] = [];
  /** Events that stand before the next one. */
  readonly #due: StreamEvent[] = [];
  #isEnded: boolean;

  constructor(
    parts: StreamParts,
    channel: RunChannel,
    {
      after,
      common,
      isEnded,
    }: { readonly after: StreamPlace | undefined; readonly common: StreamPlace | undefined; readonly isEnded: boolean },
  ) {
    this.#parts = parts;
    this.#channel = channel;
    this.#isEnded = isEnded;
    this.#entry = { ...(common ?? { epoch: 0, seq: 0 }), ahead: 0 };
    this.#holdsPieces = common !== undefined && common.ahead !== Infinity;
    this.#settledSeq = common === undefined ? channel.end.seq : 0;
    this.#place = common ?? channel.beginning;
    if (common === undefined) return;
    const isKnown = after?.seq === common.seq && after.epoch === common.epoch;
    const isInvented = isBeyond(common, channel.end);
    if (!isKnown || (isInvented && channel.isDriven)) this.#beginAnew('id-unknown');
    // What stood there was said in a process that is no more: where the run rests, why it does is said again.
    else if (isInvented) this.#place = { ...common, ahead: 0 };
    else if (!channel.hasLost(common)) for (const source of channel.open) this.#followed.add(source);
  }

  /** The next event; undefined when nothing has been said after the last one. */
  async next(): Promise<StreamEvent | undefined> {
    for (;;) {
      const due = this.#due.shift();
      if (due !== undefined) return due;
      if (this.#isEnded) return { kind: 'ended', id: idOf(this.#entry) };
      const provisional = this.#provisional();
      if (provisional !== undefined) return provisional;
      const entry = this.#nextEntry();
      if (entry !== undefined) return this.#give(entry);
      if (this.#entry.seq >= this.#channel.end.seq) {
        const { fault } = this.#channel;
        this.#channel.fault = undefined;
        if (fault !== undefined) throw fault.error;
        return undefined;
      }
      await this.#turnPage();
    }
  }

  #provisional(): StreamEvent | undefined {
    if (this.#channel.hasLost(this.#place)) this.#catchUp();
    for (;;) {
      if (this.#due.length > 0) return this.#due.shift();
      const kept = this.#channel.after(this.#place);
      if (kept === undefined || kept.seq > this.#entry.seq) return undefined;
      this.#place = kept;
      const { source } = kept;
      if (source.settledSeq <= this.#settledSeq) continue;
      if (source.isTorn && !this.#followed.has(source)) continue;
      this.#followed.add(source);
      this.#holdsPieces = true;
      return streamed(kept);
    }
  }

  /** More was said than is kept. */
  #catchUp(): void {
    const isOpen = [...this.#channel.open].length > 0;
    if (isOpen && this.#holdsPieces) this.#beginAnew('fell-behind');
    else this.#place = this.#channel.beginning;
  }

  #beginAnew(reason: ResetReason): void {
    this.#due.push({ kind: 'reset', id: idOf(this.#entry), reason });
    this.#holdsPieces = false;
    this.#followed = new WeakSet();
    this.#place = this.#channel.beginning;
  }

  #nextEntry(): EntryEvent | undefined {
    const seq = this.#entry.seq + 1;
    if (seq > this.#channel.end.seq) return undefined;
    while (this.#page[0] !== undefined && this.#page[0].seq < seq) this.#page.shift();
    return this.#page[0]?.seq === seq ? this.#page[0] : this.#channel.entry(seq);
  }

  /** An entry, or the reset that stands before it. */
  #give(event: EntryEvent): StreamEvent {
    const { epoch } = placeOf(event.id);
    const reason = voidedBy(event, this.#entry.epoch);
    if (reason !== undefined && this.#place.ahead !== Infinity) {
      this.#place = { seq: this.#entry.seq, ahead: Infinity };
      this.#holdsPieces = false;
      return { kind: 'reset', id: idOf({ ...this.#entry, ahead: Infinity }), reason };
    }
    this.#entry = { epoch, seq: event.seq, ahead: 0 };
    if (this.#place.ahead === Infinity) this.#place = this.#entry;
    if (event.entry.type === 'run-finished') this.#isEnded = true;
    return event;
  }

  async #turnPage(): Promise<void> {
    const { store, runId } = this.#parts;
    const appends = await store.read(runId, { afterSeq: this.#entry.seq, limit: pageSize });
    this.#page = appends.flatMap(eventsOf);
  }
}

/** True for a place behind everything that was said after the last entry. */
function isBeyond({ epoch, seq, ahead }: StreamPlace, end: StreamPlace): boolean {
  return ahead !== Infinity && seq === end.seq && epoch === end.epoch && ahead > end.ahead;
}

function eventsOf(append: Append): readonly EntryEvent[] {
  return placedEntries(append).map(({ id, seq, atMs, entry }) => ({ kind: 'entry', id, seq, atMs, entry }));
}

/** Why what was shown does not count any more once this entry is there. (D2) */
function voidedBy({ id, entry }: EntryEvent, epochBefore: number): ResetReason | undefined {
  if (entry.type === 'model-failed') return 'model-failed';
  return epochBefore > 0 && placeOf(id).epoch > epochBefore ? 'driver-changed' : undefined;
}

/**
 * The last place that a reader who comes with `after` has in common with the journal. An entry belongs to the epoch that wrote it, and epochs never fall:
 * what stands in the journal under a later epoch has taken the place of what the reader saw.
 */
async function commonPlace(store: Store, runId: string, after: StreamPlace): Promise<StreamPlace> {
  if (after.seq === 0) return { epoch: 0, seq: 0, ahead: 0 };
  const epochAt = async (seq: number): Promise<number | undefined> => {
    const [append] = await store.read(runId, { afterSeq: seq - 1, limit: 1 });
    return append !== undefined && append.firstSeq <= seq && lastSeqOf(append) >= seq ? append.epoch : undefined;
  };
  if ((await epochAt(after.seq)) === after.epoch) return after;
  let common = { epoch: 0, seq: 0, ahead: 0 };
  let low = 1;
  let high = after.seq;
  while (low <= high) {
    const seq = Math.floor((low + high) / 2);
    const epoch = await epochAt(seq);
    if (epoch === undefined || epoch > after.epoch) high = seq - 1;
    else {
      common = { epoch, seq, ahead: 0 };
      low = seq + 1;
    }
  }
  return common;
}
