/**
 * The dispatcher of one process: which run is driven when. It brings liveness only; that nothing happens twice is the journal's business.
 *
 * I1 A run that is due is driven: after a start, a post, a due time, and at the start of the process. What a notice misses, the next look at `due` finds.
 * I2 At most one driver of a run in this process; at most `maxActiveRuns` at a time, the others wait in the store.
 * I3 A run that waits longer than a few seconds is not in memory: no object of this process belongs to it.
 */
import { messageOf } from '../error/axle-error.ts';
import type { NewRun, Position, RunSummary } from '../journal/store.ts';
import type { Engine } from '../run/engine.ts';
import { evolveAppend } from '../run/evolve.ts';
import { loadRun } from '../run/load-run.ts';
import type { Rest } from '../run/rest.ts';
import { RunDriver } from '../run/run-driver.ts';
import { newState } from '../run/state.ts';
import type { CancelTimer } from '../util/clock.ts';

export interface DispatcherOptions {
  /** Runs in memory at a time. @defaultValue 1,000 */
  readonly maxActiveRuns?: number;
}

/** What became of a run that this process drove. */
export type RestOrBroken = Rest | { readonly kind: 'broken'; readonly error: unknown };

/** A due time further away is looked at again after an hour: a clock that was set forward is noticed by then. */
const longestSleepMs = 3_600_000;
/** How soon to look again while a run that is due has not been taken. */
const overduePauseMs = 100;
/** A driver that broke on a run leaves it alone this long. */
const brokenRunPauseMs = 30_000;
/** How soon the held runs are looked at again when the store could not list them. */
const heldLookPauseMs = 1_000;
/** Held runs of one listing. */
const heldPageSize = 100;

export class InProcessDispatcher {
  readonly #engine: Engine;
  readonly #maxActiveRuns: number;
  readonly #active = new Map<string, RunDriver | undefined>();
  readonly #broken = new Map<string, { readonly untilMs: number; readonly error: unknown }>();
  readonly #listeners = new Map<string, Set<(rest: RestOrBroken) => void>>();
  /** Called, once each, when a run is let go. */
  readonly #waiters: (() => void)[] = [];
  #stopNotices: (() => void) | undefined;
  #cancelSleep: CancelTimer = () => {};
  #cancelHeldLook: CancelTimer = () => {};
  /** Held runs that were taken to look at their code: none of them is due, so one that could not be looked at is taken again. */
  readonly #heldInHand = new Set<string>();
  #isLooking = false;
  #looksAgain = false;
  #isClosing = false;

  constructor(engine: Engine, options: DispatcherOptions = {}) {
    this.#engine = engine;
    this.#maxActiveRuns = options.maxActiveRuns ?? 1_000;
  }

  /** Begins to drive what is due, now and from now on. What is due now has been taken when it resolves. */
  async start(): Promise<void> {
    this.#stopNotices = this.#engine.store.onNotice((runId) => this.#notice(runId));
    this.#lookAtHeldRuns(() => true);
    this.#isLooking = true;
    await this.#lookUntilDone();
  }

  /** The contracts of these tools have changed: runs in hand look at theirs, and runs that are held over one of them are taken up. */
  codeChanged(tools: ReadonlySet<string>): void {
    if (this.#isClosing) return;
    for (const driver of this.#active.values()) driver?.codeChanged();
    this.#lookAtHeldRuns(({ status }) =>
      status.waitingOn.some((on) => on.kind === 'held' && (on.tool === undefined || tools.has(on.tool))),
    );
  }

  #lookAtHeldRuns(isConcerned: (run: RunSummary) => boolean): void {
    this.#takeHeldRuns(isConcerned).catch((error: unknown) => {
      this.#engine.log('warn', 'The runs that are held could not be looked at; looking again soon.', {
        reason: messageOf(error),
      });
      this.#cancelHeldLook();
      if (this.#isClosing) return;
      this.#cancelHeldLook = this.#engine.timers.after(heldLookPauseMs, () => this.#lookAtHeldRuns(() => true));
    });
  }

  /** Looks once at every held run that is concerned: its code may be back. */
  async #takeHeldRuns(isConcerned: (run: RunSummary) => boolean): Promise<void> {
    let beforeRunId: string | undefined;
    do {
      const page = await this.#engine.store.runs({
        states: ['held'],
        limit: heldPageSize,
        ...(beforeRunId === undefined ? {} : { beforeRunId }),
      });
      for (const run of page) {
        if (!isConcerned(run)) continue;
        while (this.#active.size >= this.#maxActiveRuns && !this.#isClosing) await this.#somebodyRests();
        this.#takeHeld(run.runId);
      }
      beforeRunId = page.at(-1)?.runId;
    } while (beforeRunId !== undefined && !this.#isClosing);
  }

  #somebodyRests(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Accepts a run and drives it at once, as its first owner. */
  async create(
    run: Omit<NewRun, 'claim'>,
  ): Promise<{ readonly runId: string; readonly created: boolean; readonly position: Position }> {
    const isOurs = this.#active.size < this.#maxActiveRuns;
    if (!isOurs) return this.#engine.store.create(run);
    this.#active.set(run.runId, undefined);
    const append = { ...run.append, epoch: 1 };
    try {
      const made = await this.#engine.store.create({ ...run, append, claim: true });
      if (made.created && !this.#isClosing) {
        this.#engine.watcher.accepted?.(run.runId, append);
        const loaded = { state: evolveAppend(newState(run.runId), append), appendsSinceSnapshot: 1 };
        this.#drive(new RunDriver(this.#engine, { epoch: 1, inboxCursor: 0 }, loaded));
      } else {
        this.#letGo(run.runId);
        // The first start under the key may have gone without an answer: then the run is there, and nobody drives it. (R1)
        this.#look();
      }
      return made;
    } catch (error) {
      this.#letGo(run.runId);
      // Whether the run was accepted is not known: a store that could not answer is asked again soon.
      this.#sleep(1_000);
      throw error;
    }
  }

  /** Calls back each time a run rests. Returns the way to stop. */
  onRest(runId: string, listener: (rest: RestOrBroken) => void): () => void {
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(runId);
    };
  }

  /** Why the driver of a run broke, while the run is left alone. */
  whyBroken(runId: string): { readonly error: unknown } | undefined {
    return this.#isBroken(runId) ? this.#broken.get(runId) : undefined;
  }

  /** True while this process drives the run. */
  isDriving(runId: string): boolean {
    return this.#active.has(runId);
  }

  /** Starts nothing more, lets what is in hand end within `graceMs`, then aborts it. Runs go on in the next process. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#stopNotices?.();
    this.#cancelSleep();
    this.#cancelHeldLook();
    for (const driver of this.#active.values()) driver?.close(false);
    const cancelGrace = this.#engine.timers.after(graceMs, () => {
      for (const driver of this.#active.values()) driver?.close(true);
    });
    while (this.#active.size > 0) await this.#somebodyRests();
    cancelGrace();
  }

  #notice(runId: string | undefined): void {
    if (runId === undefined) for (const driver of this.#active.values()) driver?.notice();
    else if (this.#active.has(runId)) this.#active.get(runId)?.notice();
    // Taken at once, so that whoever posted and then asks for the result is not told of the rest before the post.
    else if (this.#active.size < this.#maxActiveRuns && !this.#isBroken(runId)) this.#take(runId);
    else this.#look();
    if (runId === undefined) this.#look();
  }

  /** Looks for due runs; a look asked for during a look is taken after it. */
  #look(): void {
    if (this.#isLooking) {
      this.#looksAgain = true;
      return;
    }
    this.#isLooking = true;
    void this.#lookUntilDone();
  }

  async #lookUntilDone(): Promise<void> {
    do {
      this.#looksAgain = false;
      try {
        await this.#takeDueRuns();
      } catch (error) {
        this.#engine.log('warn', 'The store could not say which runs are due; looking again soon.', {
          reason: messageOf(error),
        });
        this.#sleep(1_000);
      }
    } while (this.#mustLookAgain());
    this.#isLooking = false;
  }

  /** True when a look was asked for during the last one. */
  #mustLookAgain(): boolean {
    return this.#looksAgain && !this.#isClosing;
  }

  async #takeDueRuns(): Promise<void> {
    if (this.#isClosing) return;
    const nowMs = this.#engine.clock.nowMs();
    for (const [runId, { untilMs }] of this.#broken) {
      if (untilMs > nowMs) continue;
      this.#broken.delete(runId);
      if (this.#heldInHand.has(runId)) this.#take(runId);
    }
    const free = this.#maxActiveRuns - this.#active.size;
    // Runs in memory are due as well, so they must not crowd out the others.
    const due = free <= 0 ? [] : await this.#engine.store.due(nowMs, this.#active.size + this.#broken.size + free);
    for (const runId of due) {
      if (this.#active.size >= this.#maxActiveRuns) break;
      if (!this.#isBroken(runId)) this.#take(runId);
    }
    const wakeAtMs = Math.min(
      (await this.#engine.store.nextWakeAtMs()) ?? Infinity,
      ...[...this.#broken.values()].map(({ untilMs }) => untilMs),
    );
    // A time that has passed belongs to a run that is being taken, or is left alone for a while: asking for it again at once would only spin.
    if (wakeAtMs < Infinity) this.#sleep(wakeAtMs > nowMs ? wakeAtMs - nowMs : overduePauseMs);
  }

  #sleep(delayMs: number): void {
    this.#cancelSleep();
    if (this.#isClosing) return;
    this.#cancelSleep = this.#engine.timers.after(Math.min(delayMs, longestSleepMs), () => this.#look());
  }

  #isBroken(runId: string): boolean {
    return (this.#broken.get(runId)?.untilMs ?? 0) > this.#engine.clock.nowMs();
  }

  #take(runId: string): void {
    if (this.#isClosing || this.#active.has(runId)) return;
    this.#active.set(runId, undefined);
    this.#broken.delete(runId);
    this.#claimAndDrive(runId).catch((error: unknown) => {
      this.#engine.log('error', 'A run could not be taken; it is left alone for a while.', {
        runId,
        reason: messageOf(error),
      });
      this.#rested(runId, { kind: 'broken', error });
    });
  }

  /** To look at the code of a run that is held. */
  #takeHeld(runId: string): void {
    this.#heldInHand.add(runId);
    this.#take(runId);
  }

  async #claimAndDrive(runId: string): Promise<void> {
    /* @crashpoint dispatch-before-claim */
    const claimed = await this.#engine.store.claim(runId);
    /* @crashpoint dispatch-after-claim */
    const loaded = claimed === undefined ? undefined : await loadRun(this.#engine.store, runId);
    if (claimed === undefined || loaded === undefined || this.#isClosing) {
      this.#rested(runId, { kind: 'closed' });
      return;
    }
    this.#drive(new RunDriver(this.#engine, claimed, loaded));
  }

  #drive(driver: RunDriver): void {
    this.#active.set(driver.runId, driver);
    driver.drive().then(
      (rest) => {
        this.#rested(driver.runId, rest);
        // Contracts may have changed between the driver's last look and its rest.
        const isHeld = rest.kind === 'waiting' && rest.state.held !== undefined;
        if (isHeld && driver.revision !== this.#engine.versions.revision()) this.#takeHeld(driver.runId);
      },
      (error: unknown) => this.#rested(driver.runId, { kind: 'broken', error }),
    );
  }

  /** A closing dispatcher waits for this, whatever the run was held for. */
  #letGo(runId: string): void {
    this.#active.delete(runId);
    this.#engine.watcher.rested(runId);
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #rested(runId: string, rest: RestOrBroken): void {
    this.#letGo(runId);
    if (rest.kind === 'broken') {
      this.#broken.set(runId, { untilMs: this.#engine.clock.nowMs() + brokenRunPauseMs, error: rest.error });
    } else {
      this.#heldInHand.delete(runId);
    }
    for (const listener of this.#listeners.get(runId) ?? []) listener(rest);
    // A post may have come between the driver's last look and its rest.
    if (rest.kind !== 'ended' || this.#active.size >= this.#maxActiveRuns - 1) this.#look();
  }
}
