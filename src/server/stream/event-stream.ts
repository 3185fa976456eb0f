/**
 * Event streams (`text/event-stream`): what a generator brings, as fast as its reader reads.
 *
 *   asking ──(an event came)──► told ──(the reader took it)──► asking
 *     │                          └──(nobody took it for `slowMs`)──► ended, with the reason as its last event
 *     └──(no more events, an error, the reader has gone, the server ends)──► ended
 *
 * V1 An event is asked for when there is room for it, so a reader that is slow costs one event and no more.
 * V2 A reader that takes nothing for `slowMs` is let go, and told so; it goes on with `Last-Event-ID`.
 * V3 A stream that ends, for whatever reason, ends its generator and gives back its place among the listeners.
 */
import { AxleError } from '../../error/axle-error.ts';
import { keepAliveComment } from '../../live/server-sent-events.ts';
import { problemOf } from '../problem.ts';

export interface StreamedEvent {
  /** Absent for what cannot be gone back to. */
  readonly id?: string;
  /** When several listeners are given the same object, it is written once. */
  readonly data: object;
}

export interface ListenerLimits {
  /** Streams at a time. */
  readonly most: number;
  /** Milliseconds for which a reader may take nothing. */
  readonly slowMs: number;
}

/** Milliseconds between two signs of life when there is nothing to tell: what stands between ends silent connections. */
const heartbeatMs = 15_000;
/** How soon a client comes back when the stream breaks. */
const retryMs = 1_000;
/** How often all streams are looked at. */
const lookEveryMs = 250;

export class Listeners {
  readonly #limits: ListenerLimits;
  readonly #streams = new Set<EventStream>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: ListenerLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#streams.size;
  }

  /** Answers with the events of a generator, which is handed the signal that ends it. @throws AxleError `listeners-too-many` */
  stream(generate: (signal: AbortSignal) => AsyncIterator<StreamedEvent>): Response {
    const { most } = this.#limits;
    if (this.count >= most) {
      throw new AxleError('listeners-too-many', `This server has ${most} listeners already.`);
    }
    const stream = new EventStream(generate, () => this.#leave(stream));
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref();
    return new Response(stream.body, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // Proxies that gather answers would keep events back.
        'x-accel-buffering': 'no',
      },
    });
  }

  /** Ends all streams. */
  endAll(): void {
    for (const stream of this.#streams) stream.end();
  }

  #look(): void {
    const nowMs = performance.now();
    for (const stream of this.#streams) stream.look(nowMs, this.#limits.slowMs);
  }

  #leave(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.count > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #ending = new AbortController();
  readonly #events: AsyncIterator<StreamedEvent>;
  readonly #onEnd: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #mode: 'asking' | 'told' | 'ended' = 'told';
  /** When something was last written. */
  #sinceMs = performance.now();

  constructor(generate: (signal: AbortSignal) => AsyncIterator<StreamedEvent>, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#events = generate(this.#ending.signal);
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        this.#write(encoder.encode(`retry: ${retryMs}\n\n`));
      },
      pull: () => this.#pull(),
      cancel: () => this.end(),
    });
  }

  /** Lets go of a reader that is too slow, and gives one that waits a sign of life. */
  look(nowMs: number, slowMs: number): void {
    const silentMs = nowMs - this.#sinceMs;
    if (this.#mode === 'asking' && silentMs >= heartbeatMs) this.#write(encoder.encode(keepAliveComment));
    if (this.#mode !== 'told' || silentMs < slowMs) return;
    this.end(new AxleError('stream-too-slow', `The listener took nothing for ${slowMs} ms, and was let go.`));
  }

  /** Ends the stream, with a last event that says why when something went wrong. */
  end(reason?: unknown): void {
    if (this.#mode === 'ended') return;
    this.#mode = 'ended';
    this.#ending.abort();
    this.#onEnd();
    // A generator that waits hears the signal; what it throws at its end is nobody's any more.
    this.#events.return?.().catch(() => undefined);
    try {
      if (reason !== undefined) {
        this.#controller?.enqueue(frameOf({ data: { kind: 'failed', problem: problemOf(reason) } }));
      }
      this.#controller?.close();
    } catch {
      // The reader has gone.
    }
  }

  async #pull(): Promise<void> {
    if (this.#mode === 'ended') return;
    this.#mode = 'asking';
    try {
      const next = await this.#events.next();
      // While it waited it may have been ended.
      if (this.#ending.signal.aborted) return;
      if (next.done === true) {
        this.end();
        return;
      }
      this.#mode = 'told';
      this.#write(frameOf(next.value));
    } catch (error) {
      this.end(error);
    }
  }

  #write(frame: Uint8Array): void {
    this.#sinceMs = performance.now();
    this.#controller?.enqueue(frame);
  }
}

const encoder = new TextEncoder();
const frames = new WeakMap<object, Uint8Array>();

/** The form of `toServerSentEvent`: JSON has no line breaks of its own, so an event is one line of data. */
function frameOf({ id, data }: StreamedEvent): Uint8Array {
  const known = frames.get(data);
  if (known !== undefined) return known;
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...('kind' in data && typeof data.kind === 'string' ? [`event: ${data.kind}`] : []),
    `data: ${JSON.stringify(data)}`,
  ];
  const frame = encoder.encode(`${lines.join('\n')}\n\n`);
  frames.set(data, frame);
  return frame;
}
