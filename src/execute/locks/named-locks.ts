/**
 * The named locks of one process, which is the only one that drives its store. They keep calls that would disturb each other from overlapping; no law rests on them.
 *
 * N1 Two calls that are given the same lock here overlap only where both share it.
 * N2 A call takes its locks in the order of their names, so calls never wait for each other in a circle.
 * N3 Those who want a lock are served in turn over runs; whoever waits is bounded in number and time, and leaves at once when its signal aborts.
 * N4 What a lock is kept over is in the journal: the status of a run names the locks that its doubts keep, written with the entries that tell of them. A process
 *    reads them before it gives away its first lock. Everything else that held a lock ended with its process.
 */
import { failureOf } from '../../call/failure.ts';
import type { Failure } from '../../call/outcome.ts';
import type { WantedLock } from '../../contract/lock-names.ts';
import { isAxleError, messageOf } from '../../error/axle-error.ts';
import type { KeptLock, Store } from '../../journal/store.ts';
import type { Clock, Timers } from '../../util/clock.ts';
import { type LockOwner, NamedLock } from './named-lock.ts';

/** What a call asks for. */
export interface LockRequest extends LockOwner {
  /** In the order of their names. */
  readonly locks: readonly WantedLock[];
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

export type LockAnswer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly lock: string; readonly failure: Failure }
  | { readonly kind: 'left' };

/** What becomes of the locks of a call: given back, still needed by an attempt, or kept by a doubt. */
export type LockUse = 'over' | 'needed' | 'in-doubt';

export interface LockParts {
  readonly store: Pick<Store, 'runs'>;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Runs in one listing. */
const pageSize = 1_000;

export class NamedLocks {
  readonly #parts: LockParts;
  readonly #locks = new Map<string, NamedLock>();
  /** The names of the locks that the calls of a run have. */
  readonly #owned = new Map<string, Map<string, Set<string>>>();
  #loading: Promise<void> | undefined;
  /** Runs whose driver has spoken while the store was read: what stood there is old. */
  #spokenFor: Set<string> | undefined;

  constructor(parts: LockParts) {
    this.#parts = parts;
  }

  /** Resolves when the call has all of its locks, or shall not have them: then it has taken none. Never rejects for what is expected. */
  async take({ locks, signal, ...owner }: LockRequest): Promise<LockAnswer> {
    try {
      await this.#loaded();
    } catch (error) {
      return { kind: 'refused', lock: locks[0]?.name ?? '', failure: notRead(error) };
    }
    const taken: string[] = [];
    for (const wanted of locks) {
      const isOwn = this.#namesOf(owner)?.has(wanted.name) === true;
      const answer = await this.#lock(wanted.name).take(owner, wanted, signal);
      if (answer.kind === 'taken') {
        if (!isOwn) taken.push(wanted.name);
        this.#note(owner, wanted.name);
        continue;
      }
      for (const name of taken) this.#giveBack(owner, name);
      this.#tidy(wanted.name);
      return answer.kind === 'left' ? answer : { ...answer, lock: wanted.name };
    }
    return { kind: 'taken' };
  }

  /** A driver has taken a run whose calls keep these locks. */
  adopt(runId: string, kept: readonly KeptLock[]): void {
    this.#spokenFor?.add(runId);
    for (const { callId, name } of kept) this.#keep({ runId, callId }, name);
  }

  /** Gives back what calls of a run have no use for any more. */
  settle(runId: string, useOf: (callId: string) => LockUse): void {
    const calls = this.#owned.get(runId);
    if (calls === undefined) return;
    this.#spokenFor?.add(runId);
    for (const [callId, names] of calls) {
      const owner = { runId, callId };
      const use = useOf(callId);
      for (const name of names) {
        if (use === 'over') this.#giveBack(owner, name);
        else this.#lock(name).mark(owner, use === 'in-doubt');
      }
    }
  }

  /** Gives back all locks of a call. */
  giveBack(owner: LockOwner): void {
    for (const name of this.#namesOf(owner) ?? []) this.#giveBack(owner, name);
  }

  #lock(name: string): NamedLock {
    const known = this.#locks.get(name);
    if (known !== undefined) return known;
    const made = new NamedLock(name, this.#parts);
    this.#locks.set(name, made);
    return made;
  }

  #namesOf({ runId, callId }: LockOwner): Set<string> | undefined {
    return this.#owned.get(runId)?.get(callId);
  }

  #note({ runId, callId }: LockOwner, name: string): void {
    const calls = this.#owned.get(runId) ?? new Map<string, Set<string>>();
    this.#owned.set(runId, calls.set(callId, (calls.get(callId) ?? new Set()).add(name)));
  }

  #keep(owner: LockOwner, name: string): void {
    this.#lock(name).keep(owner);
    this.#note(owner, name);
  }

  #giveBack(owner: LockOwner, name: string): void {
    const calls = this.#owned.get(owner.runId);
    const names = calls?.get(owner.callId);
    names?.delete(name);
    if (names?.size === 0) calls?.delete(owner.callId);
    if (calls?.size === 0) this.#owned.delete(owner.runId);
    this.#lock(name).giveBack(owner);
    this.#tidy(name);
  }

  /** A lock that nobody has or wants is forgotten: names are as many as there are orders. */
  #tidy(name: string): void {
    if (this.#locks.get(name)?.isIdle === true) this.#locks.delete(name);
  }

  /** Reads the store once; when it does not answer, the next to ask reads it again. */
  #loaded(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const spokenFor = (this.#spokenFor = new Set());
    let beforeRunId: string | undefined;
    do {
      const page = await this.#parts.store.runs({
        keepsLocks: true,
        limit: pageSize,
        ...(beforeRunId === undefined ? {} : { beforeRunId }),
      });
      for (const { runId, status } of page) {
        if (spokenFor.has(runId)) continue;
        for (const { callId, name } of status.keptLocks ?? []) this.#keep({ runId, callId }, name);
      }
      beforeRunId = page.length < pageSize ? undefined : page.at(-1)?.runId;
    } while (beforeRunId !== undefined);
    this.#spokenFor = undefined;
  }
}

function notRead(error: unknown): Failure {
  const code = isAxleError(error) ? error.code : 'internal';
  const message = `Which locks are kept could not be read: ${messageOf(error)}`;
  return failureOf(code, message, { class: 'retryable', evidence: 'none' });
}
