/**
 * Readers of a stream whose connection is cut, each at another place, and what they must have in common with one that is not.
 *
 * They read along in whatever way `open` gives them: in process, or over HTTP.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { StreamEvent } from '../../src/axle.ts';

/** Opens a stream of the run behind an id. */
export type OpenStream = (options: {
  readonly after?: string;
  readonly signal: AbortSignal;
}) => AsyncIterable<StreamEvent>;

/** When a reader that was cut comes back: at once, or only when it is called. */
export type ComesBack = 'at-once' | 'when-called';

/** One reader. It is cut after its n-th event and comes back with the last id that it has. */
class CutReader {
  readonly events: StreamEvent[] = [];
  readonly #cutAfter: number;
  readonly #comesBack: ComesBack;
  #open: OpenStream | undefined;
  #leaving = new AbortController();
  #reading: Promise<void> = Promise.resolve();
  #isCalled = false;
  failure: unknown;

  constructor(cutAfter: number, comesBack: ComesBack) {
    this.#cutAfter = cutAfter;
    this.#comesBack = comesBack;
  }

  get hasEnded(): boolean {
    return this.events.at(-1)?.kind === 'ended';
  }

  get isCut(): boolean {
    return this.events.length === this.#cutAfter;
  }

  enter(open: OpenStream): void {
    this.#open = open;
    this.#leaving = new AbortController();
    if (this.#comesBack === 'when-called' && this.isCut && !this.#isCalled) return;
    this.#reading = this.#read(open).catch((error: unknown) => {
      this.failure = error;
    });
  }

  /** Comes back now. */
  call(): void {
    this.#isCalled = true;
    if (this.#open !== undefined && this.isCut && this.#comesBack === 'when-called') this.enter(this.#open);
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#reading;
  }

  async #read(open: OpenStream): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted && !this.hasEnded) {
      const after = this.events.at(-1)?.id;
      for await (const event of open({ ...(after === undefined ? {} : { after }), signal })) {
        this.events.push(event);
        if (this.isCut) break;
      }
      if (this.isCut && this.#comesBack === 'when-called' && !this.#isCalled) return;
    }
  }
}

/** Everyone who reads along with one run: one reader that is never cut, and one for each place in `cuts`. */
export class Audience {
  readonly #readers: readonly CutReader[];
  readonly #entered = Promise.withResolvers<void>();

  constructor(cuts: readonly number[], comesBack: ComesBack = 'at-once') {
    this.#readers = [Infinity, ...cuts].map((cut) => new CutReader(cut, comesBack));
  }

  /** A process that has the run is there. */
  enter(open: OpenStream): void {
    for (const reader of this.#readers) reader.enter(open);
    this.#entered.resolve();
  }

  /** The process is gone. */
  async leave(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.leave()));
  }

  /** Resolves when everyone has read what there is. */
  async quiet(): Promise<void> {
    await this.#entered.promise;
    let before = -1;
    for (let still = 0; still < 4;) {
      await turn();
      const now = this.#readers.reduce((sum, { events }) => sum + events.length, 0);
      still = now === before ? still + 1 : 0;
      before = now;
    }
  }

  /** Calls those back who were cut, and resolves with what each has read, the reader that was never cut first. */
  async end(): Promise<readonly (readonly StreamEvent[])[]> {
    for (const reader of this.#readers) reader.call();
    await this.quiet();
    const late = this.#readers.find(({ hasEnded }) => !hasEnded);
    if (late !== undefined) {
      const last = JSON.stringify(late.events.at(-1) ?? 'nothing').slice(0, 200);
      await this.leave();
      throw new Error(`A reader did not come to the end; the last that it saw was ${last}.`, { cause: late.failure });
    }
    return this.#readers.map(({ events }) => events);
  }
}
