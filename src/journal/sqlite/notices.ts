/**
 * Tells listeners that something may have become due. What this process writes is told at once; what another process writes is found by
 * looking at the file's `data_version`, and only while somebody listens.
 */
export interface NoticesOptions {
  /** Changes when another connection has written. */
  readonly dataVersion: () => number;
  readonly everyMs: number;
}

export class Notices {
  readonly #options: NoticesOptions;
  readonly #listeners = new Set<(runId?: string) => void>();
  #timer: NodeJS.Timeout | undefined;
  #seen = 0;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** Returns the way to stop. */
  listen(listener: (runId?: string) => void): () => void {
    // A listener of its own, so that one function may listen twice and stop once.
    const own = (runId?: string): void => listener(runId);
    this.#listeners.add(own);
    if (this.#timer === undefined) this.#startLooking();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.close();
    };
  }

  /** Names the run when it is known: the file only says that something was written. */
  announce(runId?: string): void {
    for (const listener of this.#listeners) listener(runId);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#listeners.clear();
  }

  #startLooking(): void {
    this.#seen = this.#options.dataVersion();
    // It keeps no process alive: a process that only listens has nothing left to do.
    this.#timer = setInterval(() => this.#look(), this.#options.everyMs).unref();
  }

  #look(): void {
    const found = this.#options.dataVersion();
    if (found === this.#seen) return;
    this.#seen = found;
    this.announce();
  }
}
