/** Counts of the last minute or so, in a fixed number of slices: what is older than the window falls out slice by slice. */

const slices = 10;

export class RollingWindow {
  readonly #sliceMs: number;
  readonly #counts: { at: number; ended: number; failed: number }[] = [];

  constructor(windowMs: number) {
    this.#sliceMs = windowMs / slices;
  }

  add(hasFailed: boolean, nowMs: number): void {
    const at = Math.floor(nowMs / this.#sliceMs);
    let newest = this.#counts.at(-1);
    // A clock that was set back counts on in the newest slice.
    if (newest === undefined || newest.at < at) {
      newest = { at, ended: 0, failed: 0 };
      this.#counts.push(newest);
    }
    newest.ended += 1;
    if (hasFailed) newest.failed += 1;
    while ((this.#counts[0]?.at ?? at) <= at - slices) this.#counts.shift();
  }

  totals(): { readonly ended: number; readonly failed: number } {
    let ended = 0;
    let failed = 0;
    for (const slice of this.#counts) {
      ended += slice.ended;
      failed += slice.failed;
    }
    return { ended, failed };
  }

  clear(): void {
    this.#counts.length = 0;
  }
}
