/**
 * The permits and locks of one driver: asked for before an attempt is announced, given back when it has ended.
 *
 * D1 A permit is given back once: when its attempt has ended, when it is certain that the attempt does not begin, or when the driver lets go of the run. So are
 *    locks, once what became of the attempt is committed; those that a doubt keeps stay when the driver goes.
 * D2 What the store has to know of an upstream is committed with the entries that tell of it, or before them. (R22)
 * D3 An upstream that cannot be asked is no reason to break a run: the attempt is refused, and the effect law waits it out.
 */
import type { Call } from '../call/call.ts';
import { failureOf } from '../call/failure.ts';
import type { Failure } from '../call/outcome.ts';
import { locksOf } from '../contract/lock-names.ts';
import { isAxleError, messageOf } from '../error/axle-error.ts';
import type { Aftermath, Admission, AttemptEnd, Permit } from '../execute/upstreams/upstreams.ts';
import type { Entry } from '../journal/entry.ts';
import type { KeptUpstream } from '../journal/store.ts';
import type { CallAdmitted } from '../journal/upstream-entries.ts';
import { isAdmitted } from './admitted.ts';
import { keptLocks, lockUse } from './call-locks.ts';
import type { Engine } from './engine.ts';
import { findCall, type RunState } from './state.ts';

interface Held {
  /** Absent for a call that wants locks alone. */
  readonly permit: Permit | undefined;
  readonly attempt: number;
  /** The entry that tells of it is folded. */
  isRecorded: boolean;
}

/** Which attempt of which call asks. */
export interface Asking {
  readonly call: Call;
  readonly attempt: number;
}

export class Admissions {
  readonly #engine: Engine;
  readonly #runId: string;
  /** Admissions whose attempt has not begun. */
  readonly #held = new Map<string, Held>();
  #keeps: readonly KeptUpstream[] = [];
  /** Calls that wait: what they have already is not given back. */
  readonly #asking = new Set<string>();
  #isOver = false;

  constructor(engine: Engine, state: RunState) {
    this.#engine = engine;
    this.#runId = state.runId;
    engine.locks.adopt(state.runId, keptLocks(state));
  }

  /** What the next append has to keep. */
  get keeps(): readonly KeptUpstream[] {
    return this.#keeps;
  }

  /** The first `count` of them are committed. */
  kept(count: number): void {
    this.#keeps = this.#keeps.slice(count);
  }

  /** Takes the locks of a call, then asks for a permit. No entries when the wait was broken off: the call is where it was. */
  async admit(asking: Asking, signal: AbortSignal): Promise<readonly Entry[]> {
    const { callId } = asking.call;
    this.#asking.add(callId);
    try {
      return await this.#admit(asking, signal);
    } finally {
      this.#asking.delete(callId);
    }
  }

  async #admit({ call, attempt }: Asking, signal: AbortSignal): Promise<readonly Entry[]> {
    const { callId, terms } = call;
    const since = this.#engine.clock.nowMs();
    const names = locksOf(terms.locks ?? [], call.input);
    if (names.kind === 'unnamed') {
      const failure = failureOf('lock-name-invalid', `${call.tool} was not run: ${names.problem}.`, {
        evidence: 'none',
      });
      return [{ type: 'admission-refused', callId, attempt, waitedMs: 0, failure }];
    }
    const locks = names.locks.map(({ name }) => name);
    if (locks.length > 0) {
      const answer = await this.#engine.locks.take({ runId: this.#runId, callId, locks: names.locks, signal });
      if (answer.kind === 'left') return [];
      if (answer.kind === 'refused') {
        const { failure, lock } = answer;
        return [{ type: 'admission-refused', callId, attempt, lock, waitedMs: this.#since(since), failure }];
      }
    }
    const asked = { callId, attempt, ...(locks.length === 0 ? {} : { locks }) };
    const waitedMs = locks.length === 0 ? 0 : this.#since(since);
    const { upstream, timeoutMs } = terms;
    if (upstream === undefined) return this.#admitted({ ...asked, waitedMs }, undefined);
    const admission = await this.#ask({ upstream, runId: this.#runId, callId, attempt, timeoutMs, signal });
    const changes = this.#take(admission, callId, upstream);
    switch (admission.kind) {
      case 'left':
        return [];
      case 'refused': {
        const { failure } = admission;
        const waited = waitedMs + admission.waitedMs;
        return [...changes, { type: 'admission-refused', callId, attempt, upstream, waitedMs: waited, failure }];
      }
      case 'admitted': {
        const waited = waitedMs + admission.waitedMs;
        const admitted = await this.#admitted({ ...asked, upstream, waitedMs: waited }, admission.permit);
        return admitted.length === 0 ? [] : [...changes, ...admitted];
      }
    }
  }

  async #admitted(admitted: Omit<CallAdmitted, 'type'>, permit: Permit | undefined): Promise<readonly Entry[]> {
    const { callId, attempt, locks } = admitted;
    if (this.#isOver) {
      if (permit !== undefined) await this.#release(permit, { kind: 'unknown' });
      if (locks !== undefined) this.#engine.locks.giveBack({ runId: this.#runId, callId });
      return [];
    }
    this.#held.set(callId, { permit, attempt, isRecorded: false });
    return [{ type: 'call-admitted', ...admitted, ...(permit?.isProbe === true ? { probe: true } : {}) }];
  }

  #since(atMs: number): number {
    return Math.max(0, Math.round(this.#engine.clock.nowMs() - atMs));
  }

  /** The entries that `admit` gave are folded. */
  recorded(callId: string): void {
    const held = this.#held.get(callId);
    if (held !== undefined) held.isRecorded = true;
  }

  /** Hands the permit over to the attempt that begins. */
  begin(callId: string): Permit | undefined {
    const held = this.#held.get(callId);
    this.#held.delete(callId);
    return held?.permit;
  }

  /** Gives back the permit of an attempt that has ended. */
  async ended(permit: Permit, callId: string, end: AttemptEnd): Promise<readonly Entry[]> {
    return this.#take(await this.#release(permit, end), callId, permit.upstream);
  }

  /** Gives back what belongs to calls that were settled, or that lost their turn, before they began, and locks that are of no more use. The state is committed. */
  tidy(state: RunState): void {
    for (const [callId, { permit, attempt, isRecorded }] of this.#held) {
      if (!isRecorded) continue;
      const call = findCall(state, callId);
      if (call !== undefined && isAdmitted(state, call) && call.admission.attempt === attempt) continue;
      this.#held.delete(callId);
      if (permit !== undefined) void this.#release(permit, { kind: 'unknown' });
    }
    this.#engine.locks.settle(this.#runId, (callId) => {
      const isOnItsWay = this.#asking.has(callId) || this.#held.get(callId)?.isRecorded === false;
      return isOnItsWay ? 'needed' : lockUse(state, callId);
    });
  }

  /** The driver lets go of the run: what has not begun does not begin, and what was not committed with an entry is kept without one. */
  close(state: RunState): void {
    this.#isOver = true;
    for (const { permit } of this.#held.values()) {
      if (permit !== undefined) void this.#release(permit, { kind: 'unknown' });
    }
    this.#held.clear();
    const kept = new Set(keptLocks(state).map(({ callId }) => callId));
    this.#engine.locks.settle(this.#runId, (callId) => (kept.has(callId) ? 'in-doubt' : 'over'));
    for (const keep of this.#keeps) this.#keepAlone(keep);
    this.#keeps = [];
  }

  async #ask(request: Parameters<Engine['upstreams']['admit']>[0]): Promise<Admission> {
    try {
      return await this.#engine.upstreams.admit(request);
    } catch (error) {
      return { kind: 'refused', failure: notAsked(request.upstream, error), waitedMs: 0, changes: [] };
    }
  }

  async #release(permit: Permit, end: AttemptEnd): Promise<Aftermath> {
    try {
      return await this.#engine.upstreams.release(permit, end);
    } catch (error) {
      this.#engine.log('warn', 'A permit of an upstream could not be given back.', {
        upstream: permit.upstream,
        reason: messageOf(error),
      });
      return { changes: [] };
    }
  }

  #take({ changes, keep }: Aftermath, callId: string, upstream: string): readonly Entry[] {
    if (keep !== undefined) {
      if (this.#isOver) this.#keepAlone(keep);
      else this.#keeps = [...this.#keeps, keep];
    }
    return changes.map((change): Entry => ({ type: 'breaker-changed', callId, upstream, ...change }));
  }

  #keepAlone(keep: KeptUpstream): void {
    const { store, log } = this.#engine;
    store.keepUpstream(keep).catch((error: unknown) => {
      log('warn', 'The state of an upstream could not be kept.', { upstream: keep.name, reason: messageOf(error) });
    });
  }
}

function notAsked(upstream: string, error: unknown): Failure {
  const code = isAxleError(error) ? error.code : 'internal';
  const message = `The upstream ${upstream} could not be asked: ${messageOf(error)}`;
  return failureOf(code, message, { class: 'retryable', evidence: 'none' });
}
