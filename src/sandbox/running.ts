/** The jobs that a driver has in hand, so that it can be closed: they are aborted, and awaited. */
import type { SandboxResult } from '../execute/sandbox/sandbox-driver.ts';

export class Running {
  readonly #jobs = new Set<Promise<SandboxResult>>();
  readonly #closing = new AbortController();

  /** Runs a job that hears its caller's signal and the end of its driver. */
  add(signal: AbortSignal, run: (signal: AbortSignal) => Promise<SandboxResult>): Promise<SandboxResult> {
    const job = run(AbortSignal.any([signal, this.#closing.signal]));
    this.#jobs.add(job);
    void job.finally(() => this.#jobs.delete(job)).catch(() => undefined);
    return job;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#jobs);
  }
}
