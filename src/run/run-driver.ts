/**
 * The driver of one run: decide, record, commit, perform. One loop, and the only place that appends.
 *
 *   taken ──► turning ──► resting in memory ──► turning ...
 *               │  ▲            │ (work ends, post, timer)
 *               │  └────────────┘
 *               ├──► ended | waiting          (evicted: nothing of the run stays in memory)
 *               └──► fenced | closed          (somebody else goes on, or nobody for now)
 *
 * W1 Nothing is performed before everything recorded so far is committed; what a side effect needs synced is `perform.ts`'s business. Reads alone begin while
 *    their announcement waits for its commit, where their tool is known to answer at once: what they bring is used only once both are committed. (L3, R2)
 * W2 Nothing uses a result before its entry is committed: the state changes only by entries, and work begins only after a commit. (R3)
 * W3 A refused append ends this driver: it starts nothing more, aborts what it has in hand, and hands late results in as evidence. (L5, R14)
 * W5 A run does not end over a post: when one comes between the decision to end and its commit, the decision is taken back. (L7)
 * W6 A result is told to a caller only after `run-finished` is synced. (L7)
 */
import { AxleError, messageOf } from '../error/axle-error.ts';
import type { Entry } from '../journal/entry.ts';
import type { AppendBatch, ClaimedRun, Position } from '../journal/store.ts';
import { Admissions } from './admissions.ts';
import { Closed, commit, Fenced, Outdated, readPosts } from './commit.ts';
import { decide, statusOf } from './decide.ts';
import type { Engine } from './engine.ts';
import { handInEvidence } from './evidence.ts';
import { InHand } from './in-hand.ts';
import { KeptResults } from './kept-result.ts';
import { evolve, passTime } from './evolve.ts';
import { explainHold } from './explain-hold.ts';
import { appendsPerSnapshot, type LoadedRun, toSnapshot } from './load-run.ts';
import { beginsAttempt, type FreeRead, isFreeRead, type LookUpFirst, type Next, type Work } from './next.ts';
import { Nap } from './nap.ts';
import { performWork, type SharedContext } from './perform.ts';
import { entriesOf } from './pipeline.ts';
import { takePost } from './post-entry.ts';
import type { Rest } from './rest.ts';
import { checkCode, noCode, type RunCode } from './run-code.ts';
import { logEntries, logOf } from './run-log.ts';
import type { RunState } from './state.ts';
import { SyncBehind } from './sync-behind.ts';
import { isWanted } from './wanted.ts';

/** A wait that ends this soon is waited for in memory; a longer one is left to the store. */
export const keepInMemoryMs = 5_000;

/** Characters of posts after which the rest waits for the next append. */
const maxIntakeLength = 8_000_000;

/** In one append: each may hold a megabyte, an append 32. */
const maxResultsPerAppend = 16;

/** A result that comes this long after its attempt was announced may stand in the append that announces it: times are whole milliseconds. */
const joinedWithinMs = 1;

/** Rounds of moves without rest after which a decider must be wrong: a turn of the largest size needs about 150. */
const maxRounds = 10_000;

export class RunDriver {
  readonly runId: string;
  readonly #engine: Engine;
  readonly #epoch: number;
  readonly #syncBehind: SyncBehind;
  #state: RunState;
  /** The state at the last commit. */
  #committed: RunState;
  #code: RunCode = noCode;
  #revision = -1;
  /** Calls under way are being finished with a contract that is here no longer. */
  #keepsOldCode = false;
  #appendsSinceSnapshot: number;
  #inboxCursor: number;
  #refusedPosts: number[] = [];
  /** Entries recorded and folded, not committed yet. */
  #pending: Entry[] = [];
  /** Reads have begun that wait for the next commit: an append takes results of one such round. */
  #hasReadAhead = false;
  /** Of the last commit; before the first one it stands for everything that others committed. */
  #position: Position = Number.MAX_SAFE_INTEGER;
  readonly #inHand = new InHand();
  /** Entries of work that ended, not folded yet. Until they are, the work is still in hand: what was decided before they came must not begin it again. */
  readonly #finished: { readonly work: Work; readonly entries: readonly Entry[] }[] = [];
  readonly #kept: KeptResults;
  /** Calls with an effect that this driver attempted. */
  readonly #effects = new Set<string>();
  readonly #admissions: Admissions;
  readonly #shared: SharedContext;
  readonly #nap: Nap;
  #hasPosts = true;
  /** What broke a piece of work: never a tool's or a model's own fault, which are results. */
  #fault: { readonly error: unknown } | undefined;
  #isClosing = false;
  #isOver = false;

  constructor(engine: Engine, claimed: Pick<ClaimedRun, 'epoch' | 'inboxCursor'>, loaded: LoadedRun) {
    this.#engine = { ...engine, log: logOf(engine.log, () => this.#state) };
    this.#syncBehind = new SyncBehind(engine.store, engine.timers);
    this.#nap = new Nap(engine.timers);
    this.#kept = new KeptResults(this.#engine);
    this.#admissions = new Admissions(this.#engine, loaded.state);
    this.runId = loaded.state.runId;
    this.#state = loaded.state;
    this.#committed = loaded.state;
    this.#epoch = claimed.epoch;
    this.#inboxCursor = claimed.inboxCursor;
    this.#appendsSinceSnapshot = loaded.appendsSinceSnapshot;
    this.#shared = {
      engine: this.#engine,
      kept: this.#kept,
      admissions: this.#admissions,
      brainMemory: new Map(),
      isOver: () => this.#isOver,
      isLeaving: () => this.#isClosing && this.#state.cancel === undefined,
    };
  }

  /** Something was posted to the run. */
  notice(): void {
    this.#hasPosts = true;
    this.#nap.stir();
  }

  /** The revision of the contracts that the run was last matched with. */
  get revision(): number {
    return this.#revision;
  }

  /** The contracts that are here have changed. */
  codeChanged(): void {
    this.#nap.stir();
  }

  /** Starts nothing more; what is in hand is finished and recorded, or, with `abort`, told to stop. */
  close(abort: boolean): void {
    this.#isClosing = true;
    this.#inHand.close(abort, 'The process is shutting down.');
    this.#nap.stir();
  }

  /** Drives the run until it rests. Called once. */
  async drive(): Promise<Rest> {
    try {
      // Somebody took the run between this claim and the reading of its journal: what stands there as begun is theirs, and not to be performed here. (L2)
      if (this.#state.epoch > this.#epoch) return { kind: 'fenced' };
      // It ended between the look that offered it and the claim: nothing is written behind `run-finished`. (R29)
      if (this.#state.stage === 'ended') return await this.#ended();
      if (this.#epoch > this.#state.epoch) this.#record({ type: 'run-claimed', worker: this.#engine.worker });
      this.#engine.log('info', 'A driver took the run.', { worker: this.#engine.worker });
      await this.#takeCode();
      return await this.#turn();
    } catch (error) {
      if (error instanceof Fenced) {
        this.#handInResults();
        return { kind: 'fenced' };
      }
      if (error instanceof Closed) return { kind: 'closed' };
      this.#engine.log('error', 'The driver of the run broke; the run is left alone for a while.', {
        reason: messageOf(error),
      });
      throw error;
    } finally {
      this.#isOver = true;
      this.#syncBehind.flush();
      this.#inHand.abortAll('The driver has let go of the run.');
      this.#admissions.close(this.#committed);
    }
  }

  async #turn(): Promise<Rest> {
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault.error;
      // Contracts were replaced, or what stood in the way of another version may be over.
      if (this.#revision !== this.#engine.versions.revision()) await this.#takeCode();
      const taken = this.#hasPosts && (await this.#takePosts());
      const isFresh = this.#takeFinished() || taken;
      if (isFresh && this.#waitsForCode) await this.#takeCode();
      let next = this.#advance();
      while (next.kind === 'look-up') {
        await this.#kept.lookUp(next.move, this.#state, { code: this.#code, nowMs: this.#nowMs() });
        next = this.#advance();
      }
      if (await this.#readAhead(next)) continue;
      if (!(await this.#commit(next))) continue;
      if (next.kind !== 'rest') return this.#ended();
      if (this.#state.cancel !== undefined) this.#inHand.abortCancelled(this.#state.cancel.reason);
      await this.#beginReads(this.#freeReads(next));
      for (const work of next.work) if (this.#inHand.mayBegin(work)) this.#begin(work);
      this.#admissions.tidy(this.#state);
      if (this.#inHand.size === 0) {
        if (this.#isClosing) return { kind: 'closed' };
        if (!this.#hasPosts && !this.#isSoon(next.wakeAtMs)) {
          return {
            kind: 'waiting',
            state: this.#state,
            waitingOn: next.waitingOn,
            ...(next.wakeAtMs === undefined ? {} : { wakeAtMs: next.wakeAtMs }),
          };
        }
      }
      // What one append had no room for.
      if (this.#hasPosts || this.#finished.length > 0) continue;
      // A closing driver begins nothing when a time comes: it waits only for what is in hand.
      const wakeAtMs = this.#isClosing ? undefined : next.wakeAtMs;
      if (await this.#nap.until(wakeAtMs, this.#nowMs())) this.#record({ type: 'timer-fired' });
    }
  }

  async #ended(): Promise<Rest> {
    /* @crashpoint run-finished-before-sync */
    await this.#engine.store.synced(this.#position);
    /* @crashpoint run-finished-after-sync */
    return { kind: 'ended', state: this.#state };
  }

  #takeFinished(): boolean {
    const finished = this.#finished.splice(0, maxResultsPerAppend);
    for (const { work, entries } of finished) {
      this.#inHand.letGo(work);
      if (work.kind === 'admit') this.#admissions.recorded(work.call.callId);
      if (!isWanted(this.#state, work)) continue;
      for (const entry of entries) this.#record(entry);
    }
    return finished.length > 0;
  }

  /** Takes moves until only work and waits are left. */
  #advance(): Next | LookUpFirst {
    for (let round = 0; round < maxRounds; round += 1) {
      const next = decide(this.#state, this.#engine.deciders);
      if (next.kind !== 'advance') return next;
      for (const move of next.moves) {
        if (this.#isClosing && beginsAttempt(move)) return this.#left();
        if (move.kind === 'begin' && !this.#kept.hasLooked(move)) return { kind: 'look-up', move };
        const found = move.kind === 'begin' ? this.#kept.found(move) : undefined;
        for (const entry of entriesOf(move, this.#state, { engine: this.#engine, code: this.#code, found })) {
          this.#record(entry);
        }
      }
    }
    throw new AxleError('internal', `Run ${this.runId} made ${maxRounds} rounds of moves without coming to rest.`);
  }

  /** Where a closing driver leaves a run that could go on: due at once. */
  #left(): Next {
    const { nowMs } = this.#state;
    return { kind: 'rest', work: [], waitingOn: [{ kind: 'timer', dueAtMs: nowMs }], wakeAtMs: nowMs };
  }

  /** Folds an entry and keeps it for the next commit. The first of a batch sets its time. */
  #record(entry: Entry, atMs?: number): void {
    this.#passTime(atMs);
    this.#state = evolve(this.#state, entry);
    this.#pending.push(entry);
  }

  #passTime(atMs?: number): void {
    if (this.#pending.length > 0) return;
    this.#state = passTime(this.#state, { atMs: atMs ?? this.#nowMs(), epoch: this.#epoch });
  }

  /** Matches what the run pinned with the contracts that are here now, and writes down what became of it. */
  async #takeCode(): Promise<void> {
    this.#revision = this.#engine.versions.revision();
    const check = checkCode(this.#state, this.#engine, this.#code);
    if (check.kind === 'held') {
      const entry = await explainHold(check, this.#engine.store);
      if (this.#state.held?.reason !== entry.reason) this.#record(entry);
      return;
    }
    this.#code = check.code;
    this.#keepsOldCode = check.keepsOldCode;
    for (const entry of check.entries) this.#record(entry);
    if (this.#state.held !== undefined) this.#record({ type: 'run-released' });
  }

  /** True while the run is held, or goes on with a contract that is here no longer: what happens to it may change that. */
  get #waitsForCode(): boolean {
    return this.#state.held !== undefined || this.#keepsOldCode;
  }

  /** Takes in a part of what was posted, and says whether there was any; small enough for one append; while there may be more, `#hasPosts` stays true. */
  async #takePosts(): Promise<boolean> {
    this.#hasPosts = false;
    const posts = await readPosts(this.#engine, {
      runId: this.runId,
      cursor: this.#inboxCursor,
      isClosing: () => this.#isClosing,
    });
    let length = 0;
    for (const post of posts) {
      // An answer is judged by the time of the entry that it becomes: it may have waited for a driver until its question had expired.
      this.#passTime();
      const entries = takePost(this.#state, post, this.#code);
      for (const entry of entries) this.#record(entry);
      this.#inboxCursor = post.inboxId;
      if (entries.some((entry) => entry.type === 'post-refused')) this.#refusedPosts.push(post.inboxId);
      length += JSON.stringify(post.body).length;
      if (length > maxIntakeLength) break;
    }
    if (posts.length > 0) this.#hasPosts = true;
    return posts.length > 0;
  }

  /**
   * Begins reads whose announcement is still to be committed (W1), where their tools are known to answer at once, and says whether one did: then its result goes
   * into the same append.
   */
  async #readAhead(next: Next): Promise<boolean> {
    if (next.kind !== 'rest' || this.#pending.length === 0 || this.#hasReadAhead || this.#isClosing) return false;
    const reads = this.#freeReads(next).filter((read) => this.#isQuick(read));
    if (reads.length === 0) return false;
    this.#hasReadAhead = true;
    await this.#beginReads(reads);
    // An append has one time.
    return this.#finished.length > 0 && this.#nowMs() - this.#state.nowMs <= joinedWithinMs;
  }

  #freeReads({ work }: Extract<Next, { kind: 'rest' }>): readonly FreeRead[] {
    if (this.#state.durability === 'strict') return [];
    return work.filter(isFreeRead).filter((read) => this.#inHand.mayBegin(read) && !this.#inHand.has(read));
  }

  #isQuick(read: FreeRead): boolean {
    return this.#engine.quickReads.isKnown(read, this.#code.contracts);
  }

  async #beginReads(reads: readonly FreeRead[]): Promise<void> {
    if (reads.length === 0) return;
    for (const read of reads) this.#begin(read);
    const hasAnswered = (read: FreeRead): boolean => this.#finished.some(({ work }) => work === read);
    await this.#engine.quickReads.watch(reads, { contracts: this.#code.contracts, hasAnswered });
  }

  /** False when the run may not end yet (W5). */
  async #commit(next: Next): Promise<boolean> {
    if (this.#pending.length === 0) return true;
    const takesSnapshot = this.#appendsSinceSnapshot + 1 >= appendsPerSnapshot;
    const upstreams = this.#admissions.keeps;
    const batch: AppendBatch = {
      runId: this.runId,
      append: {
        firstSeq: this.#state.seq - this.#pending.length + 1,
        epoch: this.#epoch,
        atMs: this.#state.nowMs,
        entries: this.#pending,
      },
      status: statusOf(this.#state, next),
      inboxCursor: this.#inboxCursor,
      ...(takesSnapshot ? { snapshot: toSnapshot(this.#state) } : {}),
      ...(this.#refusedPosts.length > 0 ? { refusedPosts: this.#refusedPosts } : {}),
      ...(upstreams.length === 0 ? {} : { upstreams }),
    };
    /* @crashpoint driver-before-append */
    try {
      this.#position = await commit(this.#engine, batch, () => this.#isClosing);
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      this.#takeBackEnding();
      return false;
    }
    this.#engine.watcher.committed(this.runId, batch.append, batch.status);
    /* @crashpoint driver-after-append */
    logEntries(this.#engine.log, this.#pending, this.#committed.step);
    this.#kept.committed(this.#pending, this.#state, this.#code);
    this.#committed = this.#state;
    this.#appendsSinceSnapshot = takesSnapshot ? 0 : this.#appendsSinceSnapshot + 1;
    this.#pending = [];
    this.#hasReadAhead = false;
    this.#refusedPosts = [];
    this.#admissions.kept(upstreams.length);
    if (batch.append.entries.some((entry) => this.#endsEffect(entry))) this.#syncBehind.soon(this.#position);
    return true;
  }

  /** Folds the batch anew without its last entry, `run-finished`; what was posted is taken in next. */
  #takeBackEnding(): void {
    const entries = this.#pending.slice(0, -1);
    // They keep the time at which they were decided: an answer that was in time stays so.
    const { nowMs } = this.#state;
    this.#pending = [];
    this.#state = this.#committed;
    for (const entry of entries) this.#record(entry, nowMs);
    this.#hasPosts = true;
  }

  #endsEffect(entry: Entry): boolean {
    return entry.type === 'attempt-finished' && this.#effects.has(entry.callId);
  }

  #begin(work: Work): void {
    if (this.#inHand.has(work)) return;
    const abort = this.#inHand.take(work);
    if (work.kind === 'attempt' && work.call.terms.effect !== 'read') this.#effects.add(work.call.callId);
    if (work.kind === 'attempt' && work.call.terms.cache !== undefined) this.#kept.begun(work.call, this.#state);
    const context = { ...this.#shared, state: this.#state, code: this.#code, abort, position: this.#position };
    performWork(work, context).then(
      (entries) => {
        if (entries.length === 0) this.#inHand.letGo(work);
        else this.#finished.push({ work, entries });
        this.#nap.stir();
      },
      (error: unknown) => {
        this.#fault = { error };
        this.#nap.stir();
      },
    );
  }

  /** Results that were to become entries when the run was taken (W3). */
  #handInResults(): void {
    for (const entry of [...this.#pending, ...this.#finished.flatMap((finished) => finished.entries)]) {
      if (entry.type !== 'attempt-finished' || !this.#effects.has(entry.callId)) continue;
      handInEvidence(this.#engine, { ...entry, runId: this.runId });
    }
  }

  #isSoon(wakeAtMs: number | undefined): boolean {
    return wakeAtMs !== undefined && wakeAtMs - this.#nowMs() <= keepInMemoryMs;
  }

  /**
   * Time as the run sees it: never before what it has seen (R24), and never before what a timer has waited for: that much time has passed, also when the
   * clock was set back meanwhile, or the timer fired a little early (R23, R25).
   */
  #nowMs(): number {
    return Math.max(Math.floor(this.#engine.clock.nowMs()), this.#state.nowMs, this.#nap.reachedMs);
  }
}
