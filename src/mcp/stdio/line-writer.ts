/**
 * Writes lines to a server, one at a time, and knows of each whether the server can have read it.
 *
 * W1 A line is handed to the pipe only when the line before it has been taken whole. So when a write fails, the line
 *    end of that line was never delivered, and a server that reads lines never saw a complete request.
 * W2 A line that was not handed to the pipe when the writer closed is never handed to it later.
 * W3 At most `limitLines` lines and `limitBytes` bytes wait; one more is refused.
 */
import type { Writable } from 'node:stream';

/**
 * How far a line came:
 * - `waiting`: not handed to the pipe. `dropped`: it never will be.
 * - `underway`: handed to the pipe, not known to be taken whole.
 * - `written`: taken whole by the pipe; the server may read it, or may have read it.
 */
export type DeliveryState = 'waiting' | 'underway' | 'written' | 'dropped';

/** Follows one line on its way. */
export interface Delivery {
  readonly state: DeliveryState;
}

interface Waiting {
  readonly text: string;
  readonly sizeBytes: number;
  readonly delivery: { state: DeliveryState };
  readonly settle: (error?: Error) => void;
}

const limitLines = 1_000;
const limitBytes = 16 * 1024 * 1024;

export class LineWriter {
  readonly #stream: Writable;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #busy = false;
  #closed = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** Queues a line (without its line end). The promise resolves when the pipe has taken it and rejects when it never will. */
  write(text: string): { readonly delivery: Delivery; readonly done: Promise<void> } {
    const delivery: { state: DeliveryState } = { state: 'waiting' };
    const sizeBytes = Buffer.byteLength(text) + 1;
    const done = new Promise<void>((resolve, reject) => {
      const settle = (error?: Error): void => {
        if (error === undefined) resolve();
        else reject(error);
      };
      const refusal = this.#refusal(sizeBytes);
      if (refusal !== undefined) {
        delivery.state = 'dropped';
        settle(refusal);
        return;
      }
      this.#waiting.push({ text, sizeBytes, delivery, settle });
      this.#waitingBytes += sizeBytes;
      this.#next();
    });
    return { delivery, done };
  }

  /** Takes back a line that still waits. False when it is too late. */
  withdraw(delivery: Delivery): boolean {
    const index = this.#waiting.findIndex((line) => line.delivery === delivery);
    const [line] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (line === undefined) return false;
    this.#drop(line, new Error('The request was withdrawn before it was sent.'));
    return true;
  }

  /** Gives up everything that still waits, and refuses what comes later. */
  close(): void {
    this.#closed = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const line of waiting) this.#drop(line, new Error('The server ended before the request was sent.'));
  }

  #drop(line: Waiting, reason: Error): void {
    this.#waitingBytes -= line.sizeBytes;
    line.delivery.state = 'dropped';
    line.settle(reason);
  }

  #refusal(sizeBytes: number): Error | undefined {
    if (this.#closed) return new Error('The server has ended.');
    const full = this.#waiting.length >= limitLines || this.#waitingBytes + sizeBytes > limitBytes;
    return full
      ? new Error(`The server does not read: ${this.#waiting.length} lines of ${this.#waitingBytes} bytes wait for it.`)
      : undefined;
  }

  #next(): void {
    if (this.#busy) return;
    const line = this.#waiting.shift();
    if (line === undefined) return;
    this.#busy = true;
    this.#waitingBytes -= line.sizeBytes;
    line.delivery.state = 'underway';
    this.#stream.write(`${line.text}\n`, (error) => {
      this.#busy = false;
      line.delivery.state = error ? 'dropped' : 'written';
      line.settle(error ?? undefined);
      this.#next();
    });
  }
}
