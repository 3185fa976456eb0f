/**
 * One upstream in one process: its breaker, its bucket, its permits and those who wait.
 *
 *   admit ──► refused (breaker open, asked to be left alone for longer than the call may wait)
 *     │
 *     ▼
 *   queued ──► refused (too many, too long, breaker opened) · left (its signal aborted)
 *     │ a permit is free, a token is there, nobody probes, no pause
 *     ▼
 *   admitted ──release──► ended
 *
 * Everything happens in one turn of the loop: nothing is awaited between looking and giving, so no two callers are given the same place.
 */
import { failureOf } from '../../call/failure.ts';
import type { Failure } from '../../call/outcome.ts';
import type { UpstreamSettings } from '../../contract/upstream-settings.ts';
import type { KeptUpstream, StoredOrder } from '../../journal/store.ts';
import type { CancelTimer, Clock, Timers } from '../../util/clock.ts';
import { type Admitted, Breaker } from './breaker.ts';
import { FairQueue, type Waiting } from './fair-queue.ts';
import { type DatedChange, type KeptState, maxChanges, reasonOf, storedState, wantedBy } from './kept-state.ts';
import { TokenBucket } from './token-bucket.ts';
import type {
  Admission,
  AdmissionRequest,
  Aftermath,
  AttemptEnd,
  BreakerChange,
  Permit,
  UpstreamView,
} from './upstreams.ts';

/** What an upstream asks for is honoured up to a day. */
const longestPauseMs = 86_400_000;

/** What one upstream is made of. */
export interface UpstreamOptions {
  readonly name: string;
  readonly settings: UpstreamSettings;
  /** As the store has it. */
  readonly state: KeptState;
  /** False when nobody has used the upstream since the store was made: its bucket is full. */
  readonly wasUsed: boolean;
  /** The number of the last order that was carried out when the state was kept. */
  readonly keptOrder: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Who writes what is kept. */
  readonly writer: string;
}

interface Waiter extends Waiting {
  readonly sinceMs: number;
  readonly settle: (admission: Admission) => void;
}

/** Time in which nobody goes to an upstream, since it asked for that. */
interface Pause {
  readonly sinceMs: number;
  readonly untilMs: number;
}

const nothing: Aftermath = { changes: [] };

export class Upstream {
  readonly name: string;
  #settings: UpstreamSettings;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #writer: string;
  readonly #breaker: Breaker;
  #bucket: TokenBucket | undefined;
  readonly #queue = new FairQueue<Waiter>();
  readonly #permits = new Map<string, Admitted>();
  #pause: Pause;
  #changes: readonly DatedChange[];
  #order: number;
  /** The last order whose consequences the store has. */
  readonly #keptOrder: number;
  /** The store knows that the bucket is in use. */
  #isMarked = false;
  #version = 0;
  #permitCount = 0;
  #cancelTimer: CancelTimer = () => {};

  constructor({ name, settings, state, wasUsed, keptOrder, clock, timers, writer }: UpstreamOptions) {
    this.name = name;
    this.#settings = settings;
    this.#clock = clock;
    this.#timers = timers;
    this.#writer = writer;
    const nowMs = clock.nowMs();
    this.#breaker = new Breaker(settings.breaker, boundedState(state.breaker, settings, nowMs));
    const full = { tokens: settings.burst, atMs: nowMs };
    const empty = { tokens: 0, atMs: nowMs };
    const filling = wasUsed ? (state.bucket ?? empty) : full;
    this.#bucket = settings.rate === undefined ? undefined : new TokenBucket(settings.rate, settings.burst, filling);
    this.#pause = { sinceMs: nowMs, untilMs: Math.min(state.pausedUntilMs ?? 0, nowMs + longestPauseMs) };
    this.#changes = state.changes;
    this.#order = state.order;
    this.#keptOrder = keptOrder;
  }

  /** True once something happened that a later process has to know: it was used, or a person's order was carried out that the next one replaces. */
  get isUsed(): boolean {
    return this.#isMarked || this.#order > this.#keptOrder;
  }

  /** Takes on other settings, when a contract was replaced: what waits and what is under way stays. */
  use(settings: UpstreamSettings): void {
    if (settings === this.#settings) return;
    const nowMs = this.#clock.nowMs();
    const filling = this.#bucket?.filling(nowMs) ?? { tokens: 0, atMs: nowMs };
    this.#settings = settings;
    this.#bucket = settings.rate === undefined ? undefined : new TokenBucket(settings.rate, settings.burst, filling);
    this.#breaker.use(settings.breaker);
    this.#serve();
  }

  admit(request: AdmissionRequest): Promise<Admission> {
    const { signal, runId } = request;
    if (signal.aborted) return Promise.resolve({ kind: 'left', ...nothing });
    const failure = this.#refusal(this.#clock.nowMs());
    if (failure !== undefined) return Promise.resolve({ kind: 'refused', failure, waitedMs: 0, ...nothing });
    return new Promise((resolve) => {
      let stopWaiting = (): void => {};
      const waiter: Waiter = {
        runId,
        sinceMs: this.#clock.nowMs(),
        settle: (admission) => {
          stopWaiting();
          resolve(admission);
        },
      };
      this.#queue.add(waiter);
      this.#serve();
      if (this.#queue.size > this.#settings.queue) this.#settleRefused(this.#queue.dropOne(waiter), this.#full());
      if (this.#queue.has(waiter)) stopWaiting = this.#await(waiter, signal);
    });
  }

  /** Ends the wait of one who waits at its limit or when its signal aborts. Returns the way to stop. */
  #await(waiter: Waiter, signal: AbortSignal): () => void {
    const cancelLimit = this.#timers.after(this.#settings.maxWaitMs, () => {
      if (this.#queue.remove(waiter)) this.#settleRefused(waiter, this.#tooLong());
    });
    const onAbort = (): void => {
      if (this.#queue.remove(waiter)) waiter.settle({ kind: 'left', ...nothing });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    return () => {
      cancelLimit();
      signal.removeEventListener('abort', onAbort);
    };
  }

  release(permit: Permit, end: AttemptEnd): Aftermath {
    const admitted = this.#permits.get(permit.id);
    if (admitted === undefined) return nothing;
    this.#permits.delete(permit.id);
    const nowMs = this.#clock.nowMs();
    const isPaused = this.#leaveAlone(end.retryAfterMs ?? 0, nowMs);
    const change = this.#breaker.tell(admitted, end.kind, nowMs);
    const aftermath = this.#aftermath(change, isPaused, nowMs);
    this.#serve();
    return aftermath;
  }

  /** Carries out what a person asked for, once. */
  obey(order: StoredOrder): void {
    if (order.number <= this.#order) return;
    this.#order = order.number;
    const nowMs = this.#clock.nowMs();
    if (order.action === 'reset') this.#pause = { sinceMs: nowMs, untilMs: 0 };
    this.#note(this.#breaker.order(wantedBy(order), reasonOf(order), nowMs), nowMs);
    this.#serve();
  }

  view(): UpstreamView {
    const nowMs = this.#clock.nowMs();
    const tokens = this.#bucket?.filling(nowMs).tokens;
    return {
      name: this.name,
      breaker: this.#breaker.state,
      ...(this.#pausedForMs(nowMs) > 0 ? { pausedUntilMs: this.#pause.untilMs } : {}),
      live: {
        inFlight: this.#permits.size,
        waiting: this.#queue.size,
        ...(tokens === undefined ? {} : { tokens }),
      },
      changes: this.#changes,
    };
  }

  /** The last state, bucket included: nothing is given any more. */
  close(): KeptUpstream {
    this.#cancelTimer();
    for (const waiter of this.#queue.drain()) waiter.settle({ kind: 'left', ...nothing });
    return this.#keep(this.#bucket === undefined ? {} : { bucket: this.#bucket.filling(this.#clock.nowMs()) });
  }

  // ---- who may begin

  /** Gives places to those whose turn it is, as long as there are any. */
  #serve(): void {
    this.#cancelTimer();
    while (this.#queue.size > 0) {
      const nowMs = this.#clock.nowMs();
      const word = this.#breaker.ask(nowMs);
      if (word.kind === 'refuse') {
        for (const waiter of this.#queue.drain()) this.#settleRefused(waiter, this.#isOpen(word));
        return;
      }
      if (word.kind === 'wait' || this.#permits.size >= (this.#settings.concurrency ?? Infinity)) return;
      const waitMs = Math.max(this.#pausedForMs(nowMs), this.#bucket?.waitMs(nowMs) ?? 0);
      if (waitMs > 0) {
        // A token a year is a rate too, and no timer waits for it: what is not due then is waited for again.
        this.#cancelTimer = this.#timers.after(Math.min(Math.ceil(waitMs), longestPauseMs), () => this.#serve());
        return;
      }
      const waiter = this.#queue.next();
      if (waiter !== undefined) this.#give(waiter, nowMs);
    }
  }

  #give(waiter: Waiter, nowMs: number): void {
    this.#bucket?.take();
    const { admitted, change } = this.#breaker.admit(nowMs);
    this.#permitCount += 1;
    const permit = { upstream: this.name, id: `${this.#writer}.${this.#permitCount}`, isProbe: admitted.isProbe };
    this.#permits.set(permit.id, admitted);
    const aftermath = this.#aftermath(change, !this.#isMarked && this.#bucket !== undefined, nowMs);
    waiter.settle({ kind: 'admitted', permit, waitedMs: waited(waiter, nowMs), ...aftermath });
  }

  /** Why a call need not even wait. */
  #refusal(nowMs: number): Failure | undefined {
    const word = this.#breaker.ask(nowMs);
    if (word.kind === 'refuse') return this.#isOpen(word);
    const pauseMs = this.#pausedForMs(nowMs);
    if (pauseMs <= this.#settings.maxWaitMs) return undefined;
    return failureOf('upstream-rate-limited', `${this.name} asked to be left alone for another ${pauseMs} ms.`, {
      evidence: 'none',
      retryAfterMs: pauseMs,
    });
  }

  #settleRefused(waiter: Waiter, failure: Failure): void {
    waiter.settle({ kind: 'refused', failure, waitedMs: waited(waiter, this.#clock.nowMs()), ...nothing });
  }

  #isOpen({ reason, retryAfterMs }: { readonly reason: string; readonly retryAfterMs?: number }): Failure {
    return failureOf('upstream-open', `The breaker of ${this.name} is open: ${reason}.`, {
      evidence: 'none',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }

  #full(): Failure {
    const message = `${this.#settings.queue} calls wait for ${this.name}, as many as may.`;
    return failureOf('upstream-queue-full', message, { evidence: 'none' });
  }

  #tooLong(): Failure {
    const message = `The call waited ${this.#settings.maxWaitMs} ms for ${this.name}, as long as it may.`;
    return failureOf('upstream-wait-too-long', message, { evidence: 'none' });
  }

  // ---- what is kept

  /** How long the upstream is left alone from now on. A clock that is set back makes it no longer than it was at first. */
  #pausedForMs(nowMs: number): number {
    const { sinceMs, untilMs } = this.#pause;
    if (nowMs < sinceMs && untilMs > sinceMs) this.#pause = { sinceMs: nowMs, untilMs: nowMs + (untilMs - sinceMs) };
    return Math.max(0, this.#pause.untilMs - nowMs);
  }

  /** True when the upstream is left alone longer than before. */
  #leaveAlone(retryAfterMs: number, nowMs: number): boolean {
    const forMs = Math.min(retryAfterMs, longestPauseMs);
    if (forMs <= this.#pausedForMs(nowMs)) return false;
    this.#pause = { sinceMs: nowMs, untilMs: nowMs + forMs };
    return true;
  }

  #aftermath(change: BreakerChange | undefined, mustKeep: boolean, nowMs: number): Aftermath {
    this.#note(change, nowMs);
    if (change === undefined && !mustKeep) return nothing;
    return { changes: change === undefined ? [] : [change], keep: this.#keep() };
  }

  #note(change: BreakerChange | undefined, nowMs: number): void {
    if (change !== undefined) this.#changes = [{ ...change, atMs: nowMs }, ...this.#changes].slice(0, maxChanges);
  }

  #keep(more: Pick<KeptState, 'bucket'> = {}): KeptUpstream {
    this.#isMarked = true;
    this.#version += 1;
    const state: KeptState = {
      breaker: this.#breaker.state,
      ...(this.#pausedForMs(this.#clock.nowMs()) > 0 ? { pausedUntilMs: this.#pause.untilMs } : {}),
      order: this.#order,
      changes: this.#changes,
      ...more,
    };
    return { name: this.name, writer: this.#writer, version: this.#version, state: storedState(state) };
  }
}

function waited(waiter: Waiter, nowMs: number): number {
  return Math.max(0, Math.round(nowMs - waiter.sinceMs));
}

/** An open breaker stays open for as long as it ever does, at most, whatever the clock did in between. */
function boundedState(state: KeptState['breaker'], { breaker }: UpstreamSettings, nowMs: number): KeptState['breaker'] {
  if (state.untilMs === undefined) return state;
  if (breaker === false) return { kind: 'closed', sinceMs: nowMs, reason: 'it has no breaker any more' };
  const sinceMs = Math.min(state.sinceMs, nowMs);
  return { ...state, sinceMs, untilMs: Math.min(state.untilMs, nowMs + breaker.openForMs) };
}
