/**
 * Spans on their way to a collector.
 *
 *   resting ──(a batch is full; the interval is over, or flush: the open one is sealed)──► sending one batch after the other ──(none is sealed)──► resting
 */
import { optionalNumber } from '../contract/declare/fields.ts';
import { Collector, type CollectorOptions } from './collector.ts';
import { Losses, type OnDropped } from './losses.ts';
import { type OtelResource, traceBody } from './otlp-json.ts';
import { SpanBatches } from './span-batches.ts';
import type { SpanSink } from './spans-of.ts';

export interface SpanSenderOptions extends CollectorOptions, OtelResource {
  readonly sendEveryMs?: number;
  readonly onDropped?: OnDropped;
}

const closeWithinMs = 5_000;

export class SpanSender implements SpanSink {
  readonly #collector: Collector;
  readonly #sendEveryMs: number;
  readonly #make: () => Promise<void>;
  readonly #batches: SpanBatches;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #isSending = false;
  #isClosed = false;
  readonly #losses: Losses;
  sent = 0;

  /** `make` is called before everything is sent: it adds what can be added now. */
  constructor(options: SpanSenderOptions, make: () => Promise<void>) {
    this.#make = make;
    const fields = { owner: 'createTraces', values: { ...options }, code: 'configuration-invalid' } as const;
    this.#sendEveryMs = optionalNumber(fields, 'sendEveryMs', { from: 10, to: 600_000 }) ?? 1_000;
    this.#losses = new Losses(options.onDropped);
    this.#collector = new Collector(options);
    this.#batches = new SpanBatches(traceBody(options));
  }

  get dropped(): number {
    return this.#losses.count;
  }

  add(text: string): void {
    this.#added(this.#batches.add(text));
  }

  room(bytes: number): number {
    return this.#batches.room(bytes);
  }

  get buffer(): Buffer {
    return this.#batches.buffer;
  }

  wrote(end: number): void {
    this.#added(this.#batches.wrote(end));
  }

  /** A span has come, and so many older ones have gone for it. */
  #added(gone: number): void {
    if (gone > 0) this.#losses.add(gone, new Error('More spans wait for the collector than are kept.'));
    if (this.#isClosed) return;
    if (this.#batches.isSealed && !this.#isSending) void this.#send();
    this.expect();
  }

  /** There is something to send, or will be once it is made. */
  expect(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.flush(), this.#sendEveryMs);
    this.#timer.unref();
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#make();
    this.#batches.seal();
    await this.#send();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const stop = this.#collector.endWithin(closeWithinMs);
    await this.flush();
    stop();
  }

  #send(): Promise<void> {
    this.#isSending = true;
    this.#sending = this.#sending.then(() => this.#sendSealed());
    return this.#sending;
  }

  /** What is not full yet stays: otherwise spans that come while something is sent would go one by one. */
  async #sendSealed(): Promise<void> {
    for (let batch = this.#batches.take(); batch !== undefined; batch = this.#batches.take()) {
      try {
        const refused = await this.#collector.send(batch.body, 'rejectedSpans');
        this.#batches.giveBack(batch);
        this.sent += batch.count - refused;
        this.#losses.addRefused(refused);
      } catch (error) {
        this.#losses.add(batch.count, error);
      }
    }
    this.#isSending = false;
  }
}
