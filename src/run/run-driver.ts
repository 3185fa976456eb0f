/**
 * The driver of one run: decide, record, commit, perform. One loop, and the only place that appends.
 *
 *   taken ──► turning ──► resting in memory ──► turning ...
 *               │  ▲            │ (work ends, post, timer)
 *               │  └────────────┘
 *               ├──► ended | waiting | held   (evicted: nothing of the run stays in memory)
 *               └──► fenced | closed          (somebody else goes on, or nobody for now)
 *
 * W1 Nothing is performed before everything recorded so far is committed, and no side effect before that is synced. (L3, R2)
 * W2 Nothing uses a result before its entry is committed: the state changes only by entries, and work begins only after a commit. (R3)
 * W3 A refused append ends this driver: it starts nothing more, aborts what it has in hand, and hands late results in as evidence. (L5, R14)
 * W4 Whether an unconfirmed append was committed is read from the journal before anything else happens. (R32)
 * W5 A result is told to a caller only after `run-finished` is synced. (L7)
 */
import type { AttemptResult, Failure } from '../call/outcome.ts';
import type { Call } from '../call/call.ts';
import { isAxleError, messageOf } from '../error/axle-error.ts';
import { askBrain, whatIsUnreadable } from '../brain/ask-brain.ts';
import { type AttemptOptions, performAttempt, performVerify } from '../execute/attempt.ts';
import type { Entry } from '../journal/entry.ts';
import type { AppendBatch, ClaimedRun, Position, WaitReason } from '../journal/store.ts';
import type { CancelTimer } from '../util/clock.ts';
import { toJson } from '../util/json.ts';
import type { CallWork } from './call-machine.ts';
import { decide, statusOf } from './decide.ts';
import type { Engine } from './engine.ts';
import { evolve, passTime } from './evolve.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { appendsPerSnapshot, type LoadedRun, toSnapshot } from './load-run.ts';
import type { Next, Work } from './next.ts';
import { entriesOf } from './pipeline.ts';
import { takePost } from './post-entry.ts';
import { checkCode, type RunCode } from './run-code.ts';
import type { RunState } from './state.ts';

/** Why a driver let go of its run. */
export type Rest =
  | { readonly kind: 'ended'; readonly state: RunState }
  | { readonly kind: 'waiting'; readonly state: RunState; readonly waitingOn: readonly WaitReason[]; readonly wakeAtMs?: number }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'closed' };

/** A wait that ends this soon is waited for in memory; a longer one is left to the store. */
export const keepInMemoryMs = 5_000;

/** Moves without rest after which a decider must be wrong: a turn of the largest size needs about 600. */
const maxMovesPerTurn = 10_000;

const firstStoreRetryMs = 50;
const lastStoreRetryMs = 5_000;

/** The journal has another owner. */
class Fenced extends Error {}
/** The driver was closed while it could not write. */
class Closed extends Error {}

export class RunDriver {
  readonly runId: string;
  readonly #engine: Engine;
  readonly #epoch: number;
  #state: RunState;
  #code: RunCode | undefined;
  #appendsSinceSnapshot: number;
  #inboxCursor: number;
  #refusedPosts: number[] = [];
  /** Entries recorded and folded, not committed yet. */
  #pending: Entry[] = [];
  #position: Position = 0;
  readonly #inHand = new Map<string, AbortController>();
  readonly #finished: Entry[] = [];
  /** Calls that this driver let have an effect. */
  readonly #effectfulCalls = new Set<string>();
  #wake: (() => void) | undefined;
  /** Something happened while nobody was waiting. */
  #isStirred = false;
  #hasPosts = true;
  #isClosing = false;
  #isOver = false;

  constructor(engine: Engine, claimed: Pick<ClaimedRun, 'epoch' | 'inboxCursor'>, loaded: LoadedRun) {
    this.#engine = engine;
    this.runId = loaded.state.runId;
    this.#state = loaded.state;
    this.#epoch = claimed.epoch;
    this.#inboxCursor = claimed.inboxCursor;
    this.#appendsSinceSnapshot = loaded.appendsSinceSnapshot;
  }

  /** Something was posted to the run. */
  notice(): void {
    this.#hasPosts = true;
    this.#stir();
  }

  /** Starts nothing more; what is in hand is finished and recorded, or, with `abort`, told to stop. */
  close(abort: boolean): void {
    this.#isClosing = true;
    if (abort) this.#abortAll('The process is shutting down.');
    this.#stir();
  }

  /** Drives the run until it rests. Called once. */
  async drive(): Promise<Rest> {
    try {
      if (this.#epoch > this.#state.epoch) this.#record({ type: 'run-claimed', worker: this.#engine.worker });
      this.#takeCode();
      return await this.#turn();
    } catch (error) {
      this.#abortAll('Another driver has taken the run.');
      if (error instanceof Fenced) return { kind: 'fenced' };
      if (error instanceof Closed) return { kind: 'closed' };
      throw error;
    } finally {
      this.#isOver = true;
    }
  }

  async #turn(): Promise<Rest> {
    for (;;) {
      await this.#takePosts();
      for (const entry of this.#finished.splice(0)) this.#record(entry);
      const next = this.#advance();
      await this.#commit(next);
      if (next.kind !== 'rest') {
        /* @crashpoint run-finished-before-sync */
        await this.#engine.store.synced(this.#position);
        /* @crashpoint run-finished-after-sync */
        return { kind: 'ended', state: this.#state };
      }
      if (this.#state.cancel !== undefined) this.#abortAll(this.#state.cancel.reason);
      if (!this.#isClosing) for (const work of next.work) this.#begin(work);
      if (this.#inHand.size === 0 && this.#finished.length === 0) {
        if (this.#isClosing) return { kind: 'closed' };
        if (next.work.length === 0 && !this.#hasPosts && !this.#isSoon(next.wakeAtMs)) {
          return { kind: 'waiting', state: this.#state, waitingOn: next.waitingOn, ...(next.wakeAtMs === undefined ? {} : { wakeAtMs: next.wakeAtMs }) };
        }
      }
      if (await this.#stirred(next.wakeAtMs)) this.#record({ type: 'timer-fired' });
    }
  }

  /** Takes moves until only work and waits are left. */
  #advance(): Next {
    for (let moves = 0; moves < maxMovesPerTurn; moves += 1) {
      const next = decide(this.#state, this.#engine.deciders);
      if (next.kind !== 'advance') return next;
      for (const move of next.moves) {
        // A closing driver begins nothing that it would have to leave: announcing an attempt without making it would raise a doubt.
        if (this.#isClosing && move.kind === 'record' && move.entries.some((entry) => entry.type === 'attempt-started')) return this.#left();
        const code = this.#code ?? { contracts: new Map(), names: [], tools: [], toolsHash: '' };
        for (const entry of entriesOf(move, this.#state, { engine: this.#engine, code })) this.#record(entry);
      }
    }
    throw new Error(`Run ${this.runId} made ${maxMovesPerTurn} moves without coming to rest.`);
  }

  /** Where a closing driver leaves a run that could go on: due at once. */
  #left(): Next {
    const { nowMs } = this.#state;
    return { kind: 'rest', work: [], waitingOn: [{ kind: 'timer', dueAtMs: nowMs }], wakeAtMs: nowMs };
  }

  /** Folds an entry and keeps it for the next commit. The first of a batch sets its time. */
  #record(entry: Entry): void {
    if (this.#pending.length === 0) {
      const atMs = Math.max(this.#engine.clock.nowMs(), this.#state.nowMs);
      this.#state = passTime(this.#state, { atMs, epoch: this.#epoch });
    }
    this.#state = evolve(this.#state, entry);
    this.#pending.push(entry);
  }

  #takeCode(): void {
    const check = checkCode(this.#state, this.#engine);
    if (check.kind === 'held') {
      if (this.#state.held?.reason !== check.entry.reason) this.#record(check.entry);
      return;
    }
    this.#code = check.code;
    for (const entry of check.rebound) this.#record(entry);
    if (this.#state.held !== undefined) this.#record({ type: 'run-released' });
  }

  async #takePosts(): Promise<void> {
    while (this.#hasPosts) {
      this.#hasPosts = false;
      const posts = await this.#engine.store.posts(this.runId, this.#inboxCursor);
      for (const post of posts) {
        const taken = takePost(this.#state, post, this.#code);
        this.#record(taken.entry);
        this.#inboxCursor = post.inboxId;
        if (taken.freesKey) this.#refusedPosts.push(post.inboxId);
      }
      if (posts.length > 0) this.#hasPosts = true;
    }
  }

  // ---- committing

  async #commit(next: Next): Promise<void> {
    if (this.#pending.length === 0) return;
    const takesSnapshot = this.#appendsSinceSnapshot + 1 >= appendsPerSnapshot;
    const batch: AppendBatch = {
      runId: this.runId,
      append: { firstSeq: this.#state.seq - this.#pending.length + 1, epoch: this.#epoch, atMs: this.#state.nowMs, entries: this.#pending },
      status: statusOf(this.#state, next),
      inboxCursor: this.#inboxCursor,
      ...(takesSnapshot ? { snapshot: toSnapshot(this.#state) } : {}),
      ...(this.#refusedPosts.length > 0 ? { refusedPosts: this.#refusedPosts } : {}),
    };
    this.#position = await this.#appendUntilCommitted(batch);
    this.#appendsSinceSnapshot = takesSnapshot ? 0 : this.#appendsSinceSnapshot + 1;
    this.#pending = [];
    this.#refusedPosts = [];
    if (this.#state.durability === 'strict') await this.#engine.store.synced(this.#position);
    // The outcome of an effect is synced behind our back: the next effect and the finish wait for it.
    else if (this.#endsEffect(batch)) void this.#engine.store.synced(this.#position);
  }

  #endsEffect(batch: AppendBatch): boolean {
    return batch.append.entries.some((entry) => entry.type === 'attempt-finished' && this.#effectfulCalls.has(entry.callId));
  }

  async #appendUntilCommitted(batch: AppendBatch): Promise<Position> {
    let delayMs = firstStoreRetryMs;
    for (;;) {
      try {
        return await this.#engine.store.append(batch);
      } catch (error) {
        if (isAxleError(error, 'append-fenced')) throw new Fenced();
        if (isAxleError(error, 'append-unconfirmed')) {
          const position = await this.#readBack(batch);
          if (position !== undefined) return position;
        } else if (!isAxleError(error, 'store-unavailable')) {
          throw error;
        }
        this.#engine.log('warn', 'The store does not take writes now; the run waits.', { runId: this.runId, reason: messageOf(error), retryInMs: delayMs });
      }
      if (this.#isClosing) throw new Closed();
      await new Promise<void>((resolve) => {
        this.#engine.timers.after(delayMs, resolve);
      });
      delayMs = Math.min(delayMs * 2, lastStoreRetryMs);
    }
  }

  /** After an append without an answer: everything committed now stands for its position; undefined when it is not in the journal (W4). */
  async #readBack(batch: AppendBatch): Promise<Position | undefined> {
    try {
      const [first] = await this.#engine.store.read(this.runId, { afterSeq: batch.append.firstSeq - 1, limit: 1 });
      if (first === undefined) return undefined;
      if (first.epoch === this.#epoch && first.firstSeq === batch.append.firstSeq) return Number.MAX_SAFE_INTEGER;
    } catch (error) {
      if (isAxleError(error, 'store-unavailable')) return undefined;
      throw error;
    }
    throw new Fenced();
  }

  // ---- performing

  #begin(work: Work): void {
    if (this.#inHand.has(work.key)) return;
    const controller = new AbortController();
    this.#inHand.set(work.key, controller);
    this.#perform(work, controller.signal).then(
      (entry) => {
        this.#inHand.delete(work.key);
        if (entry !== undefined) this.#finished.push(entry);
        this.#stir();
      },
      (error: unknown) => this.#engine.log('error', 'Work of a run broke.', { runId: this.runId, key: work.key, reason: messageOf(error) }),
    );
  }

  async #perform(work: Work, signal: AbortSignal): Promise<Entry | undefined> {
    const startedAtMs = this.#engine.clock.nowMs();
    const tookMs = (): number => Math.max(0, this.#engine.clock.nowMs() - startedAtMs);
    switch (work.kind) {
      case 'ask-model':
        return this.#askModel(signal, tookMs);
      case 'attempt': {
        const result = await this.#attempt(work, signal);
        return { type: 'attempt-finished', callId: work.call.callId, attempt: work.attempt, result, tookMs: tookMs() };
      }
      case 'verify':
        return this.#verify(work, signal, tookMs);
    }
  }

  async #attempt(work: CallWork, signal: AbortSignal): Promise<AttemptResult> {
    const contract = this.#code?.contracts.get(work.call.tool);
    if (contract === undefined) return { status: 'failed', failure: notBegun(`The tool ${work.call.tool} is not registered here.`) };
    if (work.call.terms.effect !== 'read') {
      this.#effectfulCalls.add(work.call.callId);
      /* @crashpoint effect-before-sync */
      await this.#engine.store.synced(this.#position);
      /* @crashpoint effect-after-sync */
      // While the disk was at it the run may have been cancelled or taken.
      if (signal.aborted) return { status: 'failed', failure: notBegun('The call was cancelled before it began.') };
    }
    /* @crashpoint attempt-before-effect */
    const result = await performAttempt(this.#options(work, signal));
    /* @crashpoint attempt-after-effect */
    if (this.#isOver) this.#handInEvidence(work.call, work.attempt, result);
    return result;
  }

  #options(work: CallWork, signal: AbortSignal): AttemptOptions {
    const contract = this.#code?.contracts.get(work.call.tool);
    if (contract === undefined) throw new Error(`The tool ${work.call.tool} is not registered here.`);
    const { call, attempt } = work;
    const { runId } = this;
    return {
      contract, call, signal, timers: this.#engine.timers,
      context: {
        runId, callId: call.callId, attempt, idempotencyKey: idempotencyKeyOf(runId, call.callId),
        log: (message, data) => this.#engine.live({ kind: 'tool-log', runId, callId: call.callId, data: toJson({ message, data }) }),
        progress: (update) => this.#engine.live({ kind: 'tool-progress', runId, callId: call.callId, data: toJson(update) }),
      },
      onLate: (result) => this.#handInEvidence(call, attempt, result),
    };
  }

  /** A result that nobody waits for any more is kept as evidence: it may settle a doubt (W3). */
  #handInEvidence(call: Call, attempt: number, result: AttemptResult): void {
    if (call.terms.effect === 'read') return;
    const body = toJson({ callId: call.callId, attempt, result });
    const post = { runId: this.runId, kind: 'evidence', body, uniqueKey: `evidence:${call.callId}#${attempt}`, atMs: this.#engine.clock.nowMs() } as const;
    this.#engine.store.post(post).then(
      () => this.notice(),
      (error: unknown) => this.#engine.log('warn', 'A late result could not be kept.', { runId: this.runId, callId: call.callId, reason: messageOf(error) }),
    );
  }

  async #verify(work: Extract<CallWork, { kind: 'verify' }>, signal: AbortSignal, tookMs: () => number): Promise<Entry> {
    const { callId } = work.call;
    const named = { type: 'verify-finished', callId, round: work.round } as const;
    if (this.#code?.contracts.get(work.call.tool) === undefined) return { ...named, verdict: { kind: 'unknown' }, tookMs: 0 };
    /* @crashpoint verify-before */
    const { verdict, failure } = await performVerify(this.#options(work, signal));
    /* @crashpoint verify-after */
    return { ...named, verdict, tookMs: tookMs(), ...(failure === undefined ? {} : { failure }) };
  }

  async #askModel(signal: AbortSignal, tookMs: () => number): Promise<Entry | undefined> {
    const { task } = this.#state;
    const agent = this.#code?.agent;
    if (task?.kind !== 'agent' || agent === undefined) throw new Error(`Run ${this.runId} has no model to ask.`);
    const remainingMs = Math.max(1, task.agent.limits.workMs - this.#state.workMs);
    /* @crashpoint model-before */
    const answer = await askBrain({
      brain: agent.brain, timers: this.#engine.timers, signal, timeoutMs: Math.min(agent.modelTimeoutMs, remainingMs),
      request: { instructions: task.agent.instructions, items: this.#state.transcript.items(), tools: this.#code?.tools ?? [], settings: agent.settings },
    });
    /* @crashpoint model-after */
    // A closing driver leaves the model call open: the next owner asks again.
    if (signal.aborted && this.#state.cancel === undefined) return undefined;
    if (answer.status === 'failed') return { type: 'model-failed', failure: answer.failure, tookMs: tookMs(), ...this.#modelRetry(answer.failure, agent.modelAttempts) };
    const { parts, finishReason, usage, respondedAs } = answer;
    const unreadable = whatIsUnreadable(answer);
    return {
      type: 'model-finished', parts, finishReason, usage, tookMs: tookMs(),
      ...(unreadable === undefined ? {} : { unreadable }), ...(respondedAs === undefined ? {} : { respondedAs }),
    };
  }

  #modelRetry(failure: Failure, modelAttempts: number): { readonly retryAtMs?: number } {
    const { model } = this.#state;
    const failures = model.kind === 'asking' ? model.failures : 0;
    if (failure.class !== 'retryable' || failures + 1 >= modelAttempts || this.#state.cancel !== undefined) return {};
    const delayMs = failure.retryAfterMs ?? Math.round(this.#engine.random.next() * 2_000 * 2 ** failures);
    return { retryAtMs: Math.max(this.#engine.clock.nowMs(), this.#state.nowMs) + delayMs };
  }

  #abortAll(reason: string): void {
    for (const controller of this.#inHand.values()) if (!controller.signal.aborted) controller.abort(new Error(reason));
  }

  // ---- waiting

  #isSoon(wakeAtMs: number | undefined): boolean {
    return wakeAtMs !== undefined && wakeAtMs - this.#nowMs() <= keepInMemoryMs;
  }

  #nowMs(): number {
    return Math.max(this.#engine.clock.nowMs(), this.#state.nowMs);
  }

  #stir(): void {
    this.#isStirred = true;
    this.#wake?.();
  }

  /** Waits until work ends, something is posted, or `wakeAtMs` is reached; true for the last. */
  async #stirred(wakeAtMs: number | undefined): Promise<boolean> {
    let cancelTimer: CancelTimer = () => {};
    let isTime = false;
    if (!this.#isStirred) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (wakeAtMs === undefined) return;
        cancelTimer = this.#engine.timers.after(Math.max(0, wakeAtMs - this.#nowMs()), () => {
          isTime = true;
          resolve();
        });
      });
    }
    this.#wake = undefined;
    this.#isStirred = false;
    cancelTimer();
    return isTime;
  }
}

function notBegun(message: string): Failure {
  return { code: 'call-cancelled', class: 'fatal', message, evidence: 'none' };
}
