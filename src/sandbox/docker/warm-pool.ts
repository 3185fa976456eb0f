/**
 * Containers that wait for a job, so that it need not wait for one.
 *
 *     made ──waits──► taken by one job, which ends with it
 *        └──too old, too many, or the driver closes──► removed
 *
 * P1 A container is given to one job and to no other.
 * P2 No more than `size` wait or are being made. One that is made takes the place of the oldest of another kind.
 * P3 Closed, it holds none, also of those that were being made.
 */
import type { EngineClient } from './engine-client.ts';
import { removeContainer, type Started } from './container.ts';

/** How long one waits at most, in milliseconds. */
export const maxWaitMs = 5 * 60_000;

interface Waiting {
  /** Jobs of one kind can run in it. */
  readonly kind: string;
  readonly container: Promise<Started | undefined>;
  readonly timer: NodeJS.Timeout;
}

export class WarmPool {
  readonly #engine: EngineClient;
  readonly #size: number;
  #waiting: readonly Waiting[] = [];
  readonly #removals = new Set<Promise<void>>();
  #isClosed = false;

  constructor(engine: EngineClient, size: number) {
    this.#engine = engine;
    this.#size = size;
  }

  /** One that waits, if there is one of this kind that is alive. */
  async take(kind: string): Promise<Started | undefined> {
    const found = this.#waiting.find((each) => each.kind === kind);
    if (found === undefined) return undefined;
    this.#drop(found);
    const container = await found.container;
    if (container === undefined || !container.socket.destroyed) return container;
    // Its connection broke while it waited.
    this.#remove(found);
    return undefined;
  }

  /** Makes as many of a kind as may wait. */
  fill(kind: string, make: () => Promise<Started>): void {
    while (!this.#isClosed && this.#waiting.filter((each) => each.kind === kind).length < this.#size) {
      const other = this.#waiting.find((each) => each.kind !== kind);
      if (this.#waiting.length >= this.#size && other !== undefined) this.#discard(other);
      const container = make().catch(() => undefined);
      const made: Waiting = { kind, container, timer: setTimeout(() => this.#discard(made), maxWaitMs) };
      made.timer.unref();
      this.#waiting = [...this.#waiting, made];
      // One that could not be made is in nobody's way.
      void container.then((started) => {
        if (started === undefined) this.#drop(made);
      });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const each of this.#waiting) this.#discard(each);
    await Promise.all(this.#removals);
  }

  #drop(one: Waiting): void {
    clearTimeout(one.timer);
    this.#waiting = this.#waiting.filter((each) => each !== one);
  }

  #discard(one: Waiting): void {
    this.#drop(one);
    this.#remove(one);
  }

  #remove({ container }: Waiting): void {
    const removal = container.then(async (started) => {
      if (started === undefined) return;
      started.socket.destroy();
      await removeContainer(this.#engine, started.id);
    });
    this.#removals.add(removal);
    void removal.finally(() => this.#removals.delete(removal));
  }
}
