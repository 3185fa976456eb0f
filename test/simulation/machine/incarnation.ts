/**
 * One life of one process. All its ports go through here, so that it can end or stand still at every single touch of the outside.
 *
 * I1 Every operation of a port is a point: numbered over the whole schedule, and the place where a fault may strike.
 * I2 When it is dead, none of its promises settles and none of its timers fires, for ever.
 * I3 When it is frozen, what it waits for happens outside and reaches it when it is thawed.
 */
import { AxleError } from '../../../src/error/axle-error.ts';
import type { CancelTimer } from '../../../src/util/clock.ts';
import type { Fault, PointKind } from './fault.ts';
import type { Owner, Scheduler, Task } from './scheduler.ts';

/** Where faults come from, and what those do that reach beyond one operation. */
export interface Sabotage {
  /** Counts the point and names the fault that strikes there. */
  meet(incarnation: Incarnation, label: string, kind: PointKind): Fault | undefined;
  strike(fault: Fault, incarnation: Incarnation): void;
}

export class Incarnation implements Owner {
  readonly name: string;
  state: 'alive' | 'frozen' | 'dead' = 'alive';
  /** How far its wall clock is off. */
  skewMs = 0;
  frozenAtMs = 0;
  readonly #scheduler: Scheduler;
  readonly #sabotage: Sabotage;
  #parked: Task[] = [];

  constructor(name: string, scheduler: Scheduler, sabotage: Sabotage) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#sabotage = sabotage;
  }

  die(): void {
    this.state = 'dead';
    this.#parked = [];
    this.#scheduler.withdraw(this);
  }

  freeze(forMs: number): void {
    if (this.state !== 'alive') return;
    this.#parked.push(...this.#scheduler.withdraw(this));
    this.state = 'frozen';
    this.frozenAtMs = this.#scheduler.nowMs;
    this.#scheduler.after(forMs, { label: `thaw ${this.name}`, run: () => this.#thaw() });
  }

  #thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'alive';
    for (const task of this.#parked.splice(0)) this.#scheduler.post(task);
  }

  park(task: Task): void {
    this.#parked.push(task);
  }

  /** Carries out an operation of a port when the scheduler says so; `operation` is what happens outside. */
  call<T>(label: string, kind: PointKind, operation: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- A port rejects with what the outside answered.
      const deliver = (answer: Answer<T>): void => (answer.ok ? resolve(answer.value) : reject(answer.error));
      const act: Act<T> = { label, kind, operation: () => answerOf(operation), deliver };
      this.#scheduler.post({ owner: this, label, run: () => this.#perform(act) });
    });
  }

  /** Runs a task of this process after a delay; firing is a point too. */
  after(delayMs: number, task: () => void): CancelTimer {
    let isCancelled = false;
    const deliver = (): void => {
      if (!isCancelled) task();
    };
    const act: Act<undefined> = {
      label: 'timer',
      kind: 'timer',
      operation: () => ({ ok: true, value: undefined }),
      deliver,
    };
    const stop = this.#scheduler.after(delayMs, {
      owner: this,
      label: 'timer',
      run: () => (isCancelled ? undefined : this.#perform(act)),
    });
    return () => {
      isCancelled = true;
      stop();
    };
  }

  soon(task: () => void): void {
    this.#scheduler.post({ owner: this, label: 'soon', run: task });
  }

  #perform<T>(act: Act<T>): void {
    const fault = this.#sabotage.meet(this, act.label, act.kind);
    switch (fault?.kind) {
      case undefined:
        act.deliver(act.operation());
        return;
      case 'crash':
      case 'power-cut':
        // Inside means torn: an atomic store has nothing of the operation afterwards, as if it had not begun.
        if (fault.position === 'after') act.operation();
        this.#sabotage.strike(fault, this);
        return;
      case 'lost':
        act.deliver(act.kind === 'write' ? unconfirmed(act.label) : act.operation());
        return;
      case 'unacknowledged':
        act.deliver(withoutAcknowledgement(act));
        return;
      case 'steal':
      case 'slow':
        this.#sabotage.strike(fault, this);
        this.#scheduler.after(fault.forMs, { owner: this, label: act.label, run: () => act.deliver(act.operation()) });
        return;
      case 'freeze': {
        // What was asked for still happens; the answer waits for the thaw.
        const answer = act.operation();
        this.freeze(fault.forMs);
        this.#sabotage.strike(fault, this);
        this.#scheduler.post({ owner: this, label: act.label, run: () => act.deliver(answer) });
        return;
      }
      case 'unavailable':
      case 'jump':
      case 'cancel':
      case 'message':
      case 'shut-down':
        this.#sabotage.strike(fault, this);
        act.deliver(act.operation());
    }
  }
}

type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

interface Act<T> {
  readonly label: string;
  readonly kind: PointKind;
  readonly operation: () => Answer<T>;
  readonly deliver: (answer: Answer<T>) => void;
}

function answerOf<T>(operation: () => T): Answer<T> {
  try {
    return { ok: true, value: operation() };
  } catch (error) {
    return { ok: false, error };
  }
}

function withoutAcknowledgement<T>(act: Act<T>): Answer<T> {
  const answer = act.operation();
  return act.kind === 'write' && answer.ok ? unconfirmed(act.label) : answer;
}

function unconfirmed(label: string): { readonly ok: false; readonly error: AxleError } {
  const code = label === 'append' ? 'append-unconfirmed' : 'store-unavailable';
  return { ok: false, error: new AxleError(code, 'The connection to the store was lost before it answered.') };
}
