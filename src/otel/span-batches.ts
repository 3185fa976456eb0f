/**
 * Spans that wait to be sent, in batches. Their texts are written into one buffer a batch as they come: a text that waits is made of dozens of pieces, and bytes are
 * what is sent in the end.
 *
 *   open ──(full by spans or bytes, or asked for)──► sealed ──► taken, oldest first
 *                                                  └─ dropped, oldest first, when more wait than may
 */

/** Spans of one request, as text with commas between them. */
export interface SpanBatch {
  readonly text: Buffer;
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
const comma = 0x2c;

export class SpanBatches {
  readonly #sealed: SpanBatch[] = [];
  #buffer: Buffer | undefined;
  #bytes = 0;
  #count = 0;

  /** True when a batch can be taken. */
  get isSealed(): boolean {
    return this.#sealed.length > 0;
  }

  /** Takes a span in. Returns how many older ones went for it. */
  add(text: string): number {
    const needed = text.length * bytesACharacter + 1;
    if (this.#buffer !== undefined && this.#bytes + needed > this.#buffer.length) this.seal();
    this.#buffer ??= Buffer.allocUnsafe(Math.max(maxBytes, needed));
    if (this.#count > 0) this.#bytes = this.#buffer.writeUInt8(comma, this.#bytes);
    this.#bytes += this.#buffer.write(text, this.#bytes);
    this.#count += 1;
    if (this.#count >= maxSpans) this.seal();
    return this.#sealed.length > maxBatches ? (this.#sealed.shift()?.count ?? 0) : 0;
  }

  /** The oldest sealed batch; undefined when there is none. */
  take(): SpanBatch | undefined {
    return this.#sealed.shift();
  }

  /** Closes the batch that is open, full or not. */
  seal(): void {
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    this.#sealed.push({ text: buffer.subarray(0, this.#bytes), count: this.#count });
    this.#buffer = undefined;
    this.#bytes = 0;
    this.#count = 0;
  }
}
