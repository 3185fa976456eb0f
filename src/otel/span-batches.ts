/**
 * Spans that wait to be sent, in batches. Their texts are written into one buffer a batch as they come: a text that waits is made of dozens of pieces, and bytes are
 * what is sent in the end.
 *
 *   open ──(full by spans or bytes, or asked for)──► sealed ──► taken, oldest first
 *                                                  └─ dropped, oldest first, when more wait than may
 */

/** One request. */
export interface SpanBatch {
  readonly body: Buffer;
  /** Its spans. */
  readonly count: number;
}

/** Spans of one batch. Each request costs as much as some hundred spans, so they are as large as they may be. */
const maxSpans = 1_600;
/** Bytes of one batch, which many a proxy takes a megabyte of; a span alone may be larger. */
const maxBytes = 1_000_000;
/** A character is written as this many bytes at most. */
const bytesACharacter = 3;
/** With the open one 20,000 spans, 13 MB. */
const maxBatches = 12;
/** Buffers that are used again: memory that is new costs as much as what is written into it. */
const maxFree = 2;
const comma = 0x2c;
const none = Buffer.alloc(0);

export class SpanBatches {
  readonly #before: Buffer;
  readonly #after: Buffer;
  readonly #sealed: SpanBatch[] = [];
  readonly #free: ArrayBufferLike[] = [];
  #buffer: Buffer = none;
  #bytes = 0;
  #count = 0;

  /** What stands around the spans of a request. */
  constructor({ before, after }: { readonly before: string; readonly after: string }) {
    this.#before = Buffer.from(before);
    this.#after = Buffer.from(after);
  }

  /** True when a batch can be taken. */
  get isSealed(): boolean {
    return this.#sealed.length > 0;
  }

  /** Takes a span in, as text. Returns how many older ones went for it. */
  add(text: string): number {
    const at = this.room(text.length * bytesACharacter);
    return this.wrote(at + this.#buffer.write(text, at));
  }

  /** For who writes a span itself: where it begins in `buffer`, which has room for so many bytes from there on. */
  room(bytes: number): number {
    const needed = bytes + 1 + this.#after.length;
    if (this.#count > 0 && this.#bytes + needed > this.#buffer.length) this.seal();
    if (this.#count === 0) this.#begin(needed);
    else {
      this.#buffer[this.#bytes] = comma;
      this.#bytes += 1;
    }
    return this.#bytes;
  }

  get buffer(): Buffer {
    return this.#buffer;
  }

  /** A span was written where there was room, up to this place. Returns how many older ones went for it. */
  wrote(end: number): number {
    this.#bytes = end;
    this.#count += 1;
    if (this.#count >= maxSpans) this.seal();
    return this.#sealed.length > maxBatches ? (this.#sealed.shift()?.count ?? 0) : 0;
  }

  /** The oldest sealed batch; undefined when there is none. */
  take(): SpanBatch | undefined {
    return this.#sealed.shift();
  }

  /** The body of a batch is read no more. */
  giveBack({ body }: SpanBatch): void {
    if (this.#free.length < maxFree && body.buffer.byteLength === maxBytes) this.#free.push(body.buffer);
  }

  /** Closes the batch that is open, full or not. */
  seal(): void {
    if (this.#count === 0) return;
    this.#bytes += this.#after.copy(this.#buffer, this.#bytes);
    this.#sealed.push({ body: this.#buffer.subarray(0, this.#bytes), count: this.#count });
    this.#buffer = none;
    this.#count = 0;
  }

  #begin(needed: number): void {
    const length = this.#before.length + needed;
    if (this.#buffer.length < length) {
      const free = length > maxBytes ? undefined : this.#free.pop();
      this.#buffer = free === undefined ? Buffer.allocUnsafeSlow(Math.max(maxBytes, length)) : Buffer.from(free);
    }
    this.#bytes = this.#before.copy(this.#buffer);
  }
}
