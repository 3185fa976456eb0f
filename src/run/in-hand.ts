/** The work that one driver has in hand: each piece once, by its key, with the way to stop it. */
import { Abort } from '../util/abort.ts';
import type { Work } from './next.ts';

export class InHand {
  readonly #work = new Map<string, { readonly work: Work; readonly abort: Abort }>();
  #stage: 'open' | 'closing' | 'aborting' = 'open';

  get size(): number {
    return this.#work.size;
  }

  has({ key }: Work): boolean {
    return this.#work.has(key);
  }

  /** An attempt that was announced before the driver was told to close is in hand: left alone, it would be a doubt about what never began. */
  mayBegin({ kind }: Work): boolean {
    return this.#stage === 'open' || (this.#stage === 'closing' && kind === 'attempt');
  }

  take(work: Work): Abort {
    const abort = new Abort();
    this.#work.set(work.key, { work, abort });
    return abort;
  }

  letGo({ key }: Work): void {
    this.#work.delete(key);
  }

  abortAll(reason: string): void {
    this.#abort(reason, () => true);
  }

  /** A cancelled run still finds out what its open effects did. */
  abortCancelled(reason: string): void {
    this.#abort(reason, ({ kind }) => kind !== 'verify');
  }

  /** Stops everything, or only what waits for an upstream: such a call has nothing in hand, and waits anew with the next driver. */
  close(abort: boolean, reason: string): void {
    if (this.#stage !== 'aborting') this.#stage = abort ? 'aborting' : 'closing';
    this.#abort(reason, ({ kind }) => abort || kind === 'admit');
  }

  #abort(reason: string, isMeant: (work: Work) => boolean): void {
    for (const { work, abort } of this.#work.values()) {
      if (isMeant(work) && !abort.isAborted) abort.abort(new Error(reason));
    }
  }
}
