/** A run as its caller holds it: result, events, messages, cancellation. It holds nothing of the run itself, only its id. */
import { AxleError } from '../error/axle-error.ts';
import type { InProcessDispatcher } from '../dispatch/in-process.ts';
import { concealIn } from '../execute/aliases/conceal-in.ts';
import { unknownRun } from '../journal/checks.ts';
import type { Append, Entry } from '../journal/entry.ts';
import type { RunSummary, Store } from '../journal/store.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import { readStream, type StreamOptions } from '../live/read-stream.ts';
import type { StreamEvent } from '../live/stream-event.ts';
import { loadRun } from '../run/load-run.ts';
import { outsideReasons } from '../run/outside-reasons.ts';
import type { Timers } from '../util/clock.ts';
import { defined } from '../util/defined.ts';
import { canonicalJson, type JsonValue } from '../util/json.ts';
import { LookPause } from './look-pause.ts';
import { RunContext } from './run-context.ts';
import { RunNews } from './run-news.ts';
import { type EndedRun, endedRun, type RunResult } from './run-result.ts';

/** One committed entry. `id` is `epoch.seq` and can be handed in as `after`. */
export interface RunEvent {
  readonly id: string;
  readonly seq: number;
  readonly atMs: number;
  readonly entry: Entry;
}

export interface ResultOptions {
  /** `ended` waits until the run has ended, also through approvals that take days. @defaultValue 'rest' */
  readonly until?: 'rest' | 'ended';
  readonly signal?: AbortSignal;
}

/** What a handle needs of its Axle. */
export interface RunAccess {
  readonly store: Store;
  readonly live: LiveRuns;
  readonly timers: Timers;
  readonly nowMs: () => number;
  /** Undefined for a client, which drives nothing. */
  readonly dispatcher: InProcessDispatcher | undefined;
  /** Takes real values out of what is sent. @defaultValue there are none */
  readonly conceal?: (text: string) => string;
}

/** How long a post is waited for to be taken in before the run counts as waiting: with no driver it is not taken in at all. */
const patienceMs = 2_000;

/** A run that this process drives tells of its rest; it is looked at all the same, should another process have taken it. */
const drivenPauseMs = 1_000;
/** A result is waited for through days, and its coming is mostly told. */
const longestResultPauseMs = 5_000;
/** Whoever follows entries wants the first one after a rest soon. */
const longestEventPauseMs = 1_000;

export class RunHandle {
  readonly id: string;
  readonly #access: RunAccess;

  constructor(id: string, access: RunAccess) {
    this.id = id;
    this.#access = access;
  }

  /**
   * How the run ended, or what it waits for from outside. Timers are waited for; people are not, unless `until: 'ended'`.
   * @throws AxleError `run-unknown`, `aborted`
   */
  result(options: ResultOptions & { readonly until: 'ended' }): Promise<EndedRun>;
  result(options?: ResultOptions): Promise<RunResult>;
  async result(options: ResultOptions = {}): Promise<RunResult> {
    const until = options.until ?? 'rest';
    const patientUntilMs = this.#access.nowMs() + patienceMs;
    const pause = new LookPause({ longestMs: longestResultPauseMs });
    for (;;) {
      if (options.signal?.aborted === true) {
        throw new AxleError('aborted', `The wait for run ${this.id} was aborted.`, { cause: options.signal.reason });
      }
      using news = new RunNews(this.id, this.#access, options.signal);
      const result = await this.#resultNow(until, { patientUntilMs, pause });
      if (result !== undefined) return result;
      const rest = await news.within(this.#nextLookMs(pause));
      const ended = rest?.kind === 'ended' ? endedRun(rest.state) : undefined;
      if (ended !== undefined) return ended;
      if (rest?.kind === 'broken') {
        throw new AxleError('internal', `The driver of run ${this.id} broke.`, { cause: rest.error });
      }
    }
  }

  /** What tools of the run have published, and what it was started with. */
  get context(): RunContext {
    const events = (signal: AbortSignal | undefined): AsyncGenerator<RunEvent> => this.events(defined({ signal }));
    return new RunContext(this.id, this.#access.store, events);
  }

  /** What lists show of the run. @throws AxleError `run-unknown` */
  async summary(): Promise<RunSummary> {
    const summary = await this.#access.store.run(this.id);
    if (summary === undefined) throw unknownRun(this.id);
    return summary;
  }

  /**
   * Committed entries in order, from the first or after an event id, until the run has ended. Resumable: nothing is missed, nothing comes twice.
   * @throws AxleError `run-unknown`, `usage-invalid` for an `after` that is no event id
   */
  async *events(options: { readonly after?: string; readonly signal?: AbortSignal } = {}): AsyncGenerator<RunEvent> {
    let afterSeq = options.after === undefined ? 0 : seqOf(options.after);
    const pause = new LookPause({ longestMs: longestEventPauseMs });
    for (;;) {
      const appends = await this.#appendsAfter(afterSeq, pause, options.signal);
      for (const append of appends) {
        for (const [index, entry] of append.entries.entries()) {
          const seq = append.firstSeq + index;
          if (seq <= afterSeq) continue;
          yield { id: `${append.epoch}.${seq}`, seq, atMs: append.atMs, entry };
          if (entry.type === 'run-finished') return;
          afterSeq = seq;
        }
      }
      if (appends.length === 0 || options.signal?.aborted === true) return;
    }
  }

  /**
   * The run as it happens, until it has ended: committed entries, each once and in order, and between them what is in no entry yet (pieces of answers, progress of
   * tools), told in the process that drives the run. Resumable at any event: nothing is missed, no entry comes twice.
   * @throws AxleError `run-unknown`, `usage-invalid` for an `after` that is no event id, `limit-exceeded`, `store-unavailable`
   */
  stream(options: StreamOptions = {}): AsyncGenerator<StreamEvent> {
    const { store, live } = this.#access;
    return readStream({ store, live, runId: this.id }, options);
  }

  /** Adds a message to the conversation of the run; durable when it resolves. With a `key`, a repeated message counts once. @throws AxleError `run-ended`, `run-key-reused`, `limit-exceeded`, `usage-invalid` for a single call */
  async send(text: string, options: { readonly key?: string } = {}): Promise<void> {
    const given: unknown = text;
    if (typeof given !== 'string') throw new AxleError('usage-invalid', `A message is a text, not ${typeof given}.`);
    await this.#post('message', { text }, options.key === undefined ? undefined : `message:${options.key}`);
  }

  /** Asks the run to end: nothing new starts, what runs is aborted or awaited. Durable when it resolves. @throws AxleError `run-ended` */
  async cancel(reason = 'cancelled by the caller', options: { readonly by?: string } = {}): Promise<void> {
    await this.#post('cancel', { reason, ...(options.by === undefined ? {} : { by: options.by }) }, 'cancel');
  }

  async #post(kind: 'message' | 'cancel', said: JsonValue, uniqueKey: string | undefined): Promise<void> {
    const summary = await this.summary();
    if (summary.status.state === 'ended') {
      throw new AxleError('run-ended', `Run ${this.id} has ended and takes no ${kind}.`);
    }
    if (kind === 'message' && summary.kind !== 'agent') {
      throw new AxleError(
        'usage-invalid',
        `Run ${this.id} is a single call of ${summary.subject}, which takes no messages.`,
      );
    }
    const { store, nowMs, conceal } = this.#access;
    const body = conceal === undefined ? said : concealIn(said, conceal);
    const keyed = uniqueKey === undefined ? {} : { uniqueKey };
    const { first } = await store.post({ runId: this.id, kind, body, atMs: nowMs(), ...keyed });
    if (kind === 'message' && first !== undefined && canonicalJson(first.body) !== canonicalJson(body)) {
      throw new AxleError('run-key-reused', `Another message was sent to run ${this.id} with this key.`);
    }
  }

  /** What stands behind an entry, as soon as something does; nothing when the run has ended there, or the signal aborts. */
  async #appendsAfter(afterSeq: number, pause: LookPause, signal: AbortSignal | undefined): Promise<readonly Append[]> {
    for (;;) {
      using news = new RunNews(this.id, this.#access, signal);
      const appends = await this.#access.store.read(this.id, { afterSeq, limit: 100 });
      if (appends.length > 0 || signal?.aborted === true) return appends;
      const summary = await this.summary();
      if (afterSeq > summary.seq) {
        throw new AxleError(
          'usage-invalid',
          `Run ${this.id} has no event after ${afterSeq}: its last one is ${summary.seq}.`,
        );
      }
      if (summary.status.state === 'ended' && afterSeq >= summary.seq) return [];
      pause.found(summary, this.#access.nowMs());
      await news.within(this.#nextLookMs(pause));
    }
  }

  async #resultNow(
    until: 'rest' | 'ended',
    { patientUntilMs, pause }: { readonly patientUntilMs: number; readonly pause: LookPause },
  ): Promise<RunResult | undefined> {
    // A run that this process drives is told of when it rests.
    if (this.#access.dispatcher?.isDriving(this.id) === true) return undefined;
    const summary = await this.summary();
    const { status, hasPosts } = summary;
    pause.found(summary, this.#access.nowMs());
    const broken = this.#access.dispatcher?.whyBroken(this.id);
    if (broken !== undefined && status.state !== 'ended') {
      throw new AxleError('internal', `The driver of run ${this.id} broke.`, { cause: broken.error });
    }
    if (status.state === 'ended') {
      const loaded = await loadRun(this.#access.store, this.id);
      const ended = loaded === undefined ? undefined : endedRun(loaded.state);
      if (ended === undefined) {
        throw new AxleError(
          'run-ended',
          `Run ${this.id} is a copy of a run that had not ended, which nobody drives here.`,
        );
      }
      await this.#durable();
      return ended;
    }
    const reasons = outsideReasons(status.waitingOn);
    const isDriven = this.#access.dispatcher?.isDriving(this.id) ?? false;
    if (status.state === 'active' || reasons.length === 0 || isDriven || until !== 'rest') return undefined;
    // What was posted just now may let the run go on: the driver, which may be another process, gets a moment to take it in.
    if (hasPosts && this.#access.nowMs() < patientUntilMs) return undefined;
    await this.#durable();
    return { status: 'waiting', runId: this.id, on: reasons };
  }

  /** What was read is committed; before anybody is told, it is on the disk. (L7) */
  async #durable(): Promise<void> {
    await this.#access.store.synced(Number.MAX_SAFE_INTEGER);
  }

  #nextLookMs(pause: LookPause): number {
    const { dispatcher, nowMs } = this.#access;
    return dispatcher?.isDriving(this.id) === true ? drivenPauseMs : pause.nextMs(nowMs());
  }
}

function seqOf(eventId: string): number {
  const seq = Number(/^\d+\.(\d+)$/u.exec(eventId)?.[1]);
  if (!Number.isInteger(seq)) {
    throw new AxleError('usage-invalid', `An event id is epoch.seq, such as 1.12, and not ${eventId}.`);
  }
  return seq;
}
