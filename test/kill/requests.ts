/**
 * What the harness asks for: runs, single calls, messages, cancellations.
 *
 * Q1 A start or a call is asked for again until it is acknowledged, with the same key; by whom does not matter.
 * Q2 Messages and cancellations are asked for once: acknowledged, they count; else they may be true or not.
 */
import type { Child } from './child.ts';
import type { Order } from './programs/messages.ts';
import { oneOf } from './random.ts';
import { drawScenario, inputOf } from './programs/scenario.ts';
import { effectfulTools } from './programs/tool-names.ts';
import type { Told } from './laws/told.ts';

type Program = 'worker' | 'client';
type Request = Extract<Order, { kind: 'start' | 'call' }>;

export class Requests {
  readonly #told: Told;
  readonly #random: () => number;
  readonly #requests = new Map<string, Request>();
  readonly #children = new Map<Program, Child>();
  #messages = 0;

  constructor(told: Told, random: () => number) {
    this.#told = told;
    this.#random = random;
  }

  /** From now on the child takes the orders of its kind. */
  use(program: Program, child: Child): void {
    this.#children.set(program, child);
  }

  /** Asks a process that has just opened the store for everything that nobody has acknowledged. */
  repeat(program: Program): void {
    for (const request of this.#unacknowledged()) this.#children.get(program)?.order(request);
  }

  /** Starts one more run when fewer than `count` are under way. */
  fill(unfinished: readonly string[], count: number): void {
    if (unfinished.length + this.#unacknowledged().length < count) {
      const request = this.#draw();
      this.#requests.set(request.key, request);
      this.#children.get(this.#random() < 0.6 ? 'worker' : 'client')?.order(request);
    }
    this.#disturb(unfinished);
  }

  /** Everything was acknowledged and nothing is unfinished. Asks again for what was not. */
  areDone(unfinished: number): boolean {
    const missing = this.#unacknowledged();
    if (missing.length > 0) this.repeat('client');
    return missing.length === 0 && unfinished === 0;
  }

  /** Keys that were never acknowledged. */
  missing(): readonly string[] {
    return this.#unacknowledged().map((request) => request.key);
  }

  #unacknowledged(): readonly Request[] {
    return [...this.#requests.values()].filter((request) => !this.#told.accepted.has(request.key));
  }

  #draw(): Request {
    const key = `request-${this.#requests.size + 1}`;
    if (this.#random() < 0.12) return { kind: 'call', key, tool: oneOf(this.#random, effectfulTools), text: key };
    return { kind: 'start', key, input: inputOf(drawScenario(this.#random)) };
  }

  /** Now and then a run that is under way gets a message or is cancelled. */
  #disturb(underWay: readonly string[]): void {
    const draw = this.#random();
    const client = this.#children.get('client');
    if (draw > 0.08 || underWay.length === 0 || client === undefined) return;
    const runId = oneOf(this.#random, underWay);
    this.#messages += 1;
    if (draw < 0.02) client.order({ kind: 'cancel', runId });
    else client.order({ kind: 'message', runId, key: `message-${this.#messages}`, text: `message ${this.#messages}` });
  }
}
