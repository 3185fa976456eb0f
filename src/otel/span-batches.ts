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

/** Spans of one batch. */
const maxSpans = 512;
/** Bytes of one batch; a span alone may be larger. */
const maxBytes = 524_288;
/** A character is written as this many bytes at most. */
const bytesACharacter = 3;
/** 20,480 spans, 20 MB. */
const maxBatches = 40;
/** Buffers that are used again: memory that is new costs as much as what is written into it. */
const maxFree = 2;
const comma = 0x2c;

export class SpanBatches {
  readonly #before: Buffer;
  readonly #after: Buffer;
  readonly #sealed: SpanBatch[] = [];
  readonly #free: ArrayBufferLike[] = [];
  #buffer: Buffer | undefined;
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
    const needed = text.length * bytesACharacter + 1 + this.#after.length;
    if (this.#buffer !== undefined && this.#bytes + needed > this.#buffer.length) this.seal();
    const buffer = this.#buffer ?? this.#begin(needed);
    if (this.#count > 0) {
      buffer[this.#bytes] = comma;
      this.#bytes += 1;
    }
    this.#bytes += buffer.write(text, this.#bytes);
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
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    this.#bytes += this.#after.copy(buffer, this.#bytes);
    this.#sealed.push({ body: buffer.subarray(0, this.#bytes), count: this.#count });
    this.#buffer = undefined;
    this.#count = 0;
  }

  #begin(needed: number): Buffer {
    const length = this.#before.length + needed;
    const free = length > maxBytes ? undefined : this.#free.pop();
    const buffer = free === undefined ? Buffer.allocUnsafeSlow(Math.max(maxBytes, length)) : Buffer.from(free);
    this.#bytes = this.#before.copy(buffer);
    this.#buffer = buffer;
    return buffer;
  }
}
