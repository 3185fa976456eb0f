/** Spans that ended in the history of a run, before anybody knows which of them are to be sent once more: the newest are kept. */
import type { SpanSink } from './spans-of.ts';

/** Spans that are kept at least, where there are so many. */
const maxKept = 2_000;
const bufferBytes = 4_096;
const none = Buffer.alloc(0);

export class EarlierSpans implements SpanSink {
  #kept: { readonly text: string; readonly endMs: number }[] = [];
  #buffer = none;

  add(text: string, endMs: number): void {
    this.#kept.push({ text, endMs });
    if (this.#kept.length >= 2 * maxKept) this.#kept = this.#kept.slice(-maxKept);
  }

  room(bytes: number): number {
    if (this.#buffer.length < bytes) this.#buffer = Buffer.allocUnsafe(Math.max(bytes, bufferBytes));
    return 0;
  }

  get buffer(): Buffer {
    return this.#buffer;
  }

  wrote(end: number, endMs: number): void {
    this.add(this.#buffer.toString('utf8', 0, end), endMs);
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** Gives the texts of those that ended at this time or later, and keeps none. */
  take(sinceMs: number): readonly string[] {
    const found = this.#kept.slice(-maxKept).filter(({ endMs }) => endMs >= sinceMs);
    this.#kept = [];
    this.#buffer = none;
    return found.map(({ text }) => text);
  }
}
