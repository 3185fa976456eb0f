/** Those who start runs, wait for results, speak up in the middle and ask for results that were not theirs. They try again when nobody answers, with the same key. */
import { isAxleError, messageOf } from '../../../src/error/axle-error.ts';
import type { Axle } from '../../../src/facade/axle.ts';
import type { RunResult } from '../../../src/facade/run-result.ts';
import type { Committed, History } from '../history/history.ts';
import type { Incarnation } from '../machine/incarnation.ts';
import type { Scheduler } from '../machine/scheduler.ts';
import type { Place } from '../processes.ts';
import type { RunPlan, UndoPlan } from '../scenario/scenario.ts';

export interface CallerParts {
  readonly plans: readonly RunPlan[];
  readonly scheduler: Scheduler;
  readonly history: History;
  readonly workers: () => readonly Place[];
  readonly outside: () => Place;
}

/** What somebody says to a run. */
export interface Posting {
  readonly run: number;
  readonly what: 'cancel' | 'message';
  readonly text: string;
}

/** How long a caller waits for a result. */
const patienceMs = 30_000;
/** Attempts of a caller to get one thing through. */
const maxTries = 40;
const tryAgainAfterMs = 300;
/** One commit that ends a run in so many is looked at while it is made. */
const glanceEvery = 3;

export class Callers {
  readonly #parts: CallerParts;
  /** Which plan a run follows; a request may have become more than one run when a power cut took the first. */
  readonly #planOfRun = new Map<string, number>();
  readonly #runOfPlan = new Map<number, string>();
  readonly #accepted = new Set<number>();
  readonly #starting = new Map<number, Incarnation>();

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  begin(): void {
    for (const [index, plan] of this.#parts.plans.entries()) this.#startLater(index, plan.startAfterMs, 0);
  }

  /** A run was created under a key. */
  created(runId: string, key: string | undefined): void {
    if (key?.startsWith('undo:') === true) {
      this.#planOfRun.set(runId, this.#planOfRun.get(undoneBy(key)) ?? -1);
      return;
    }
    const index = Number(key);
    this.#planOfRun.set(runId, index);
    this.#runOfPlan.set(index, runId);
  }

  /** Starts that a process took with it are made again. */
  ended(incarnation: Incarnation, restartAfterMs: number): void {
    for (const [plan, starter] of this.#starting) {
      if (starter === incarnation) this.#startLater(plan, restartAfterMs + 50, 1);
    }
  }

  planOf(runId: string): RunPlan {
    const plan = this.#parts.plans[this.#planOfRun.get(runId) ?? -1];
    if (plan === undefined) throw new Error(`The run ${runId} follows no plan.`);
    return plan;
  }

  /** The run that follows a plan now. */
  runOf(index: number): string {
    return this.#runOfPlan.get(index) ?? '';
  }

  /** Callers speak up while the model thinks. */
  modelAsked(run: number, asked: number): void {
    for (const word of this.#parts.plans[run]?.words ?? []) {
      if (word.ask !== asked) continue;
      const text = `word ${asked} ${word.afterMs}`;
      this.#parts.scheduler.after(word.afterMs, {
        label: `a caller says ${word.what}`,
        run: () => this.post({ run, what: word.what, text }),
      });
    }
  }

  /** Somebody else asks for the result, at the very moment at which it is written. */
  glance(committed: Committed): void {
    const { runId, status, at } = committed;
    if (status.state === 'ended') this.#takeBack(runId);
    const { axle, incarnation } = this.#parts.outside();
    if (axle === undefined || status.state !== 'ended' || at % glanceEvery !== 0) return;
    const look = async (): Promise<void> => this.#told(await axle.run(runId).result());
    // Whoever is told of a fault looks again another time.
    this.#parts.scheduler.post({
      owner: incarnation,
      label: 'an onlooker asks',
      run: () => void look().catch(() => {}),
    });
  }

  post(post: Posting, tries = 0): void {
    const { history, scheduler } = this.#parts;
    const { what, text } = post;
    const runId = this.#runOfPlan.get(post.run);
    const { axle } = this.#parts.outside();
    // A single call takes no messages.
    if (runId === undefined || (what === 'message' && this.planOf(runId).kind === 'call')) return;
    const again = (): void => {
      if (tries < maxTries) {
        scheduler.after(tryAgainAfterMs, { label: `post ${what} again`, run: () => this.post(post, tries + 1) });
      }
    };
    if (axle === undefined) {
      again();
      return;
    }
    const handle = axle.run(runId);
    const posted = what === 'cancel' ? handle.cancel('changed my mind') : handle.send(text, { key: text });
    posted.then(
      () => void history.told.push({ kind: 'posted', at: history.tick(), runId, what, text }),
      (error: unknown) => {
        if (isAxleError(error, 'store-unavailable')) again();
        else if (!isAxleError(error, 'run-ended') && !isAxleError(error, 'run-unknown')) {
          history.breakages.push(`A caller was told: ${messageOf(error)}`);
        }
      },
    );
  }

  /** A run has ended: its caller may want it undone. One that is an undo itself is left alone. */
  #takeBack(runId: string): void {
    const plan = this.#parts.plans[this.#planOfRun.get(runId) ?? -1];
    if (plan?.undo === undefined || runId !== this.#runOfPlan.get(this.#planOfRun.get(runId) ?? -1)) return;
    for (let time = 0; time < plan.undo.times; time += 1) {
      this.#undoLater(runId, plan.undo, { afterMs: time * 40, tries: 0 });
    }
  }

  #undoLater(
    runId: string,
    plan: UndoPlan,
    { afterMs, tries }: { readonly afterMs: number; readonly tries: number },
  ): void {
    const { history, scheduler } = this.#parts;
    const again = (): void => {
      if (tries < maxTries) this.#undoLater(runId, plan, { afterMs: tryAgainAfterMs, tries: tries + 1 });
    };
    scheduler.after(plan.afterMs + afterMs, {
      label: `a caller takes ${runId} back`,
      run: () => {
        const { axle } = this.#parts.outside();
        if (axle === undefined) {
          again();
          return;
        }
        axle.undo(runId, { onProblem: plan.skips ? 'skip' : 'stop' }).then(
          ({ id }) =>
            void history.told.push({ kind: 'accepted', at: history.tick(), runId: id, key: `undo:${runId}:1` }),
          (error: unknown) => {
            if (isAxleError(error, 'store-unavailable')) again();
            // After a power cut the run may not have ended, or not be there, any more.
            else if (!isAxleError(error, 'run-not-ended') && !isAxleError(error, 'run-unknown')) {
              history.breakages.push(`A caller who takes ${runId} back was told: ${messageOf(error)}`);
            }
          },
        );
      },
    });
  }

  #startLater(index: number, afterMs: number, tries: number): void {
    this.#parts.scheduler.after(afterMs, { label: `caller ${index} starts`, run: () => this.#start(index, tries) });
  }

  #start(index: number, tries: number): void {
    const { plans, history } = this.#parts;
    const workers = this.#parts.workers();
    const plan = plans[index];
    const worker = workers[(index + tries) % workers.length];
    if (plan === undefined || worker === undefined || this.#accepted.has(index)) return;
    const again = (): void => {
      if (tries < maxTries) this.#startLater(index, tryAgainAfterMs, tries + 1);
    };
    if (worker.axle === undefined || worker.incarnation.state === 'frozen') {
      again();
      return;
    }
    this.#starting.set(index, worker.incarnation);
    this.#ask(worker.axle, plan, index).catch((error: unknown) => {
      this.#starting.delete(index);
      if (this.#accepted.has(index)) return;
      if (['store-unavailable', 'closed', 'store-closed'].some((code) => hasCode(error, code))) again();
      else history.breakages.push(`A caller was told: ${messageOf(error)}`);
    });
  }

  async #ask(axle: Axle, plan: RunPlan, index: number): Promise<void> {
    const key = String(index);
    if (plan.kind === 'call') {
      const tool = plan.turns[0]?.calls[0]?.tool ?? 'look';
      const result = await axle.call(tool, { item: `call ${index}`, amount: index }, { key });
      this.#acknowledge(index, result.runId);
      this.#told(result);
      return;
    }
    const handle = await axle.start(`agent-${index}`, { input: `Do number ${index}.`, key });
    this.#acknowledge(index, handle.id);
    if (!plan.waits) return;
    const patience = new AbortController();
    this.#parts.scheduler.after(patienceMs, { label: 'a caller loses patience', run: () => patience.abort() });
    this.#told(await handle.result({ signal: patience.signal }));
  }

  #acknowledge(index: number, runId: string): void {
    const { history } = this.#parts;
    this.#accepted.add(index);
    this.#starting.delete(index);
    history.told.push({ kind: 'accepted', at: history.tick(), runId, key: String(index) });
  }

  #told(result: RunResult): void {
    const { history } = this.#parts;
    if (result.status !== 'waiting') {
      history.told.push({ kind: 'ended', at: history.tick(), runId: result.runId, output: result.output });
    }
  }
}

/** The run that an undo under this key takes back. */
function undoneBy(key: string): string {
  return key.split(':')[1] ?? '';
}

/** True for an error with this code, or one that it caused. */
function hasCode(error: unknown, code: string): boolean {
  return isAxleError(error) && (error.code === code || hasCode(error.cause, code));
}
