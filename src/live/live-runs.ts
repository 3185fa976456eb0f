/**
 * The runs that are being watched in this process, and what is kept of each for its readers.
 *
 * H1 What a driver of this process says is heard at once. What another process drives is looked at in short intervals, once for all readers of a run.
 * H2 All that is kept is bounded over all runs: what was said longest ago goes first. A reader costs its place and one page of its journal.
 * H3 Of a run that nobody drives and nobody reads, nothing is kept.
 */
import { AxleError } from '../error/axle-error.ts';
import type { Append } from '../journal/entry.ts';
import type { RunStatus, RunSummary, Store } from '../journal/store.ts';
import type { LiveEvent, Watcher } from '../run/engine.ts';
import type { CancelTimer, Timers } from '../util/clock.ts';
import { type ChannelLimits, RunChannel } from './run-channel.ts';

export interface LiveLimits extends ChannelLimits {
  /** Characters that all runs keep together. */
  readonly totalChars: number;
  readonly readers: number;
}

export const liveLimits: LiveLimits = {
  events: 10_000,
  chars: 1_048_576,
  totalChars: 67_108_864,
  readers: 10_000,
};

export interface LiveOptions {
  readonly store: Store;
  readonly timers: Timers;
  readonly limits?: Partial<LiveLimits>;
}

/** How often a run is looked at that another process may drive. A process that drives the store hears of everything else by itself. */
const pollMs = { client: 50, driver: 1_000 };
/** Appends of one look. */
const pageSize = 100;

export class LiveRuns implements Watcher {
  readonly #store: Store;
  readonly #timers: Timers;
  readonly #limits: LiveLimits;
  /** In the order in which they last said something. */
  readonly #channels = new Map<string, RunChannel>();
  readonly #polls = new Map<RunChannel, CancelTimer>();
  #chars = 0;
  #readers = 0;

  constructor({ store, timers, limits }: LiveOptions) {
    this.#store = store;
    this.#timers = timers;
    this.#limits = { ...liveLimits, ...limits };
  }

  /** Characters that are kept of all runs. */
  get chars(): number {
    return this.#chars;
  }

  told(event: LiveEvent, { runId, epoch }: { readonly runId: string; readonly epoch: number }): void {
    const channel = this.#channels.get(runId);
    // Before a driver says anything it has committed something.
    if (channel !== undefined) this.#keep(runId, channel, () => channel.told(event, epoch));
  }

  committed(runId: string, append: Append, status: RunStatus): void {
    const channel = this.#channel(runId, { epoch: append.epoch, seq: append.firstSeq - 1 });
    channel.isDriven = true;
    this.#keep(runId, channel, () => {
      channel.committed(append);
      channel.stands(status);
    });
  }

  rested(runId: string): void {
    const channel = this.#channels.get(runId);
    if (channel === undefined) return;
    channel.isDriven = false;
    this.#forget(runId, channel);
  }

  /** Begins to read along. The summary is the run as the store has it now. @throws AxleError `limit-exceeded` */
  attach({ runId, epoch, seq, status }: RunSummary): RunChannel {
    if (this.#readers >= this.#limits.readers) {
      throw new AxleError(
        'limit-exceeded',
        `${this.#limits.readers} streams of runs are open, and no more are opened.`,
      );
    }
    const channel = this.#channel(runId, { epoch, seq });
    channel.readers += 1;
    this.#readers += 1;
    if (!channel.isDriven && channel.end.seq === seq) this.#keep(runId, channel, () => channel.stands(status));
    return channel;
  }

  detach(runId: string, channel: RunChannel): void {
    channel.readers -= 1;
    this.#readers -= 1;
    this.#forget(runId, channel);
  }

  /** Resolves when something was said since `channel.changes` was `since`, or the signal aborts. */
  async changed(
    { runId, channel }: { readonly runId: string; readonly channel: RunChannel },
    since: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (channel.changes !== since) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        channel.stopWaiting(done);
        signal?.removeEventListener('abort', done);
        if (!channel.isAwaited) this.#stopPolling(channel);
        resolve();
      };
      channel.whenChanged(done);
      signal?.addEventListener('abort', done, { once: true });
      if (signal?.aborted === true) done();
      else this.#poll(runId, channel);
    });
  }

  #channel(runId: string, end: { readonly epoch: number; readonly seq: number }): RunChannel {
    const known = this.#channels.get(runId);
    if (known !== undefined) return known;
    const channel = new RunChannel(this.#limits, end);
    this.#channels.set(runId, channel);
    return channel;
  }

  #forget(runId: string, channel: RunChannel): void {
    if (channel.readers > 0 || channel.isDriven || this.#channels.get(runId) !== channel) return;
    this.#channels.delete(runId);
    this.#chars -= channel.chars;
  }

  /** Lets a channel take something in, and others let go of something where it is too much. */
  #keep(runId: string, channel: RunChannel, take: () => void): void {
    const before = channel.chars;
    take();
    this.#chars += channel.chars - before;
    if (this.#chars <= this.#limits.totalChars) return;
    this.#channels.delete(runId);
    this.#channels.set(runId, channel);
    for (const other of this.#channels.values()) {
      if (this.#chars <= this.#limits.totalChars) return;
      this.#chars -= other.chars;
      other.clear();
    }
  }

  #poll(runId: string, channel: RunChannel): void {
    if (this.#polls.has(channel)) return;
    const delayMs = this.#store.canDrive ? pollMs.driver : pollMs.client;
    const cancel = this.#timers.after(delayMs, () => {
      this.#polls.delete(channel);
      void this.#look(runId, channel);
    });
    this.#polls.set(channel, cancel);
  }

  #stopPolling(channel: RunChannel): void {
    this.#polls.get(channel)?.();
    this.#polls.delete(channel);
  }

  async #look(runId: string, channel: RunChannel): Promise<void> {
    try {
      const summary = await this.#store.run(runId);
      const afterSeq = channel.end.seq;
      const isNews = summary !== undefined && summary.seq > afterSeq;
      const appends = isNews ? await this.#store.read(runId, { afterSeq, limit: pageSize }) : [];
      this.#keep(runId, channel, () => {
        for (const append of appends) channel.committed(append);
        if (!channel.isDriven && summary?.seq === channel.end.seq) channel.stands(summary.status);
      });
    } catch (error) {
      channel.fault = { error };
      channel.wake();
    }
    if (channel.isAwaited) this.#poll(runId, channel);
  }
}
