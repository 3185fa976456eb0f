/**
 * One named lock in one process: who has it, and who waits.
 *
 *   take ──► had already ──────────────────────────────► taken
 *     │
 *     ▼
 *   queued ──► refused (too many, too long) · left (its signal aborted)
 *     │ it is its turn, and nobody who has the lock is in its way
 *     ▼
 *   taken ──giveBack──► free for the next
 *
 * Everything happens in one turn of the loop: nothing is awaited between looking and giving.
 */
import type { LockMode } from '../../call/lock-terms.ts';
import { failureOf } from '../../call/failure.ts';
import type { Failure } from '../../call/outcome.ts';
import type { WantedLock } from '../../contract/lock-names.ts';
import type { Clock, Timers } from '../../util/clock.ts';
import { FairQueue, type Waiting } from '../upstreams/fair-queue.ts';

/** Calls that may wait for one lock, over all runs. */
const maxWaiting = 1_000;

/** A call that wants a lock, or has one. */
export interface LockOwner {
  readonly runId: string;
  readonly callId: string;
}

export type Taken =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The signal aborted first. */
  | { readonly kind: 'left' };

interface Holder extends LockOwner {
  readonly mode: LockMode;
  isInDoubt: boolean;
}

interface Waiter extends Waiting, LockOwner {
  readonly mode: LockMode;
  readonly settle: (taken: Taken) => void;
}

export class NamedLock {
  readonly #name: string;
  readonly #time: { readonly clock: Clock; readonly timers: Timers };
  readonly #holders = new Map<string, Holder>();
  readonly #queue = new FairQueue<Waiter>();

  constructor(name: string, time: { readonly clock: Clock; readonly timers: Timers }) {
    this.#name = name;
    this.#time = time;
  }

  /** True while nobody has it and nobody waits. */
  get isIdle(): boolean {
    return this.#holders.size === 0 && this.#queue.size === 0;
  }

  take(owner: LockOwner, { mode, maxWaitMs }: WantedLock, signal: AbortSignal): Promise<Taken> {
    if (signal.aborted) return Promise.resolve({ kind: 'left' });
    // Its doubt has kept it.
    if (this.#holders.has(keyOf(owner))) return Promise.resolve({ kind: 'taken' });
    return new Promise((resolve) => {
      let stopWaiting = (): void => {};
      const waiter: Waiter = {
        ...owner,
        mode,
        settle: (taken) => {
          stopWaiting();
          resolve(taken);
        },
      };
      this.#queue.add(waiter);
      this.#serve();
      if (this.#queue.size > maxWaiting) this.#refuse(this.#queue.dropOne(waiter), this.#full());
      if (this.#queue.has(waiter)) stopWaiting = this.#await(waiter, { maxWaitMs, signal });
    });
  }

  /** Says that a call has the lock, whoever else has it: it had it before this process began. */
  keep(owner: LockOwner): void {
    this.#holders.set(keyOf(owner), { ...owner, mode: 'exclusive', isInDoubt: true });
  }

  /** For those who wait for it: whether the call that has it is in doubt. */
  mark(owner: LockOwner, isInDoubt: boolean): void {
    const holder = this.#holders.get(keyOf(owner));
    if (holder !== undefined) holder.isInDoubt = isInDoubt;
  }

  giveBack(owner: LockOwner): void {
    if (this.#holders.delete(keyOf(owner))) this.#serve();
  }

  /** Ends the wait of one who waits at its limit or when its signal aborts. Returns the way to stop. */
  #await(
    waiter: Waiter,
    { maxWaitMs, signal }: { readonly maxWaitMs: number; readonly signal: AbortSignal },
  ): () => void {
    const leave = (taken: () => Taken): void => {
      if (!this.#queue.remove(waiter)) return;
      waiter.settle(taken());
      // Who stood behind it may share the lock with those who have it.
      this.#serve();
    };
    const cancelLimit = this.#time.timers.after(maxWaitMs, () =>
      leave(() => ({ kind: 'refused', failure: this.#tooLong(maxWaitMs) })),
    );
    const onAbort = (): void => leave(() => ({ kind: 'left' }));
    signal.addEventListener('abort', onAbort, { once: true });
    return () => {
      cancelLimit();
      signal.removeEventListener('abort', onAbort);
    };
  }

  #serve(): void {
    for (let waiter = this.#queue.first; waiter !== undefined; waiter = this.#queue.first) {
      if (!this.#mayHave(waiter)) return;
      this.#queue.next();
      const { runId, callId, mode } = waiter;
      this.#holders.set(keyOf(waiter), { runId, callId, mode, isInDoubt: false });
      waiter.settle({ kind: 'taken' });
    }
  }

  #mayHave({ mode }: Waiter): boolean {
    return this.#holders.size === 0 || (mode === 'shared' && [...this.#holders.values()].every(isShared));
  }

  #refuse(waiter: Waiter, failure: Failure): void {
    waiter.settle({ kind: 'refused', failure });
  }

  #tooLong(maxWaitMs: number): Failure {
    const [holder] = this.#holders.values();
    const message = `The call waited ${maxWaitMs} ms for the lock ${this.#name}, as long as it may`;
    return failureOf('lock-wait-too-long', `${message}${holder === undefined ? '' : `: ${whoHasIt(holder)}`}.`, {
      evidence: 'none',
      details: {
        lock: this.#name,
        ...(holder && { runId: holder.runId, callId: holder.callId, inDoubt: holder.isInDoubt }),
      },
    });
  }

  #full(): Failure {
    return failureOf('lock-queue-full', `${maxWaiting} calls wait for the lock ${this.#name}, as many as may.`, {
      evidence: 'none',
      details: { lock: this.#name },
    });
  }
}

function isShared({ mode }: Holder): boolean {
  return mode === 'shared';
}

function keyOf({ runId, callId }: LockOwner): string {
  return `${runId}/${callId}`;
}

function whoHasIt({ runId, callId, isInDoubt }: Holder): string {
  const call = `call ${callId} of run ${runId}`;
  return isInDoubt
    ? `${call} is in doubt and keeps it until somebody settles that (axle resolve ${runId}/${callId})`
    : `${call} has it`;
}
