/**
 * What a tool is handed beside its input. The signal and the key are made when they are asked for: few tools look, and both cost more than a small tool does.
 *
 * Their getters are the same functions for every attempt. A getter in an object literal is a function of its own each time, which takes microseconds, and which the
 * engine makes in the old generation: what it closes over, which is all of the attempt, stays in memory until the next full collection (`docs/performance.md`).
 */
import type { ToolContext } from '../contract/contract.ts';

/** The same, with what is made late as functions. */
export type LazyToolContext = Omit<ToolContext, 'signal' | 'idempotencyKey'> & {
  readonly [Name in 'signal' | 'idempotencyKey']: () => ToolContext[Name];
};

/** By a symbol, so that the getters find it behind a proxy, too. */
const made = Symbol('made when asked for');

/** The properties are the object's own, so that a tool can hand on a copy of them. */
class OwnToolContext implements ToolContext {
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
  declare readonly idempotencyKey: string;
  declare readonly signal: AbortSignal;
  readonly log: ToolContext['log'];
  readonly progress: ToolContext['progress'];
  readonly real: ToolContext['real'];
  readonly conceal: ToolContext['conceal'];
  readonly [made]: Pick<LazyToolContext, 'signal' | 'idempotencyKey'>;

  constructor(given: LazyToolContext) {
    this.runId = given.runId;
    this.callId = given.callId;
    this.attempt = given.attempt;
    this.log = given.log;
    this.progress = given.progress;
    this.real = given.real;
    this.conceal = given.conceal;
    this[made] = given;
    Object.defineProperty(this, 'idempotencyKey', keyProperty);
    Object.defineProperty(this, 'signal', signalProperty);
  }
}

const keyProperty: PropertyDescriptor = {
  enumerable: true,
  get(this: OwnToolContext) {
    return this[made].idempotencyKey();
  },
};

const signalProperty: PropertyDescriptor = {
  enumerable: true,
  get(this: OwnToolContext) {
    return this[made].signal();
  },
};

export function toolContextOf(given: LazyToolContext): ToolContext {
  return new OwnToolContext(given);
}
