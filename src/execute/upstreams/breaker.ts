/**
 * The breaker of one upstream.
 *
 *            failures in a row, or too many in the window              its time has come, and a call asks
 *   closed ──────────────────────────────────────────────► open ───────────────────────────────────────► half-open
 *     ▲                                                     ▲  ◄─────────── the probe failed ──────────────┤ │
 *     │                                                     └──────────────── a person                       │ │
 *     └───────────── the probe was answered, or a person ────────────────────────────────────────────────────┘ │
 *                                                                the probe said nothing: the next call probes ─┘
 *
 * J1 Half-open, one call at a time probes. (U4)
 * J2 What began before the last change of state says nothing about the state after it: such a result is passed over.
 * J3 `open` without a time was opened by a person, and only a person ends it.
 * J4 A clock that is set back makes nobody wait longer than `openFor`.
 */
import { type BreakerSettings, defaultBreaker } from '../../contract/upstream-settings.ts';
import type { BreakerKind } from '../../journal/upstream-entries.ts';
import { RollingWindow } from './rolling-window.ts';
import type { AttemptEnd, BreakerChange } from './upstreams.ts';

export interface BreakerState {
  readonly kind: BreakerKind;
  readonly sinceMs: number;
  /** Of an open one; absent when only a person closes it. */
  readonly untilMs?: number;
  readonly reason: string;
}

/** What a breaker says to a call that wants to begin. */
export type BreakerWord =
  | { readonly kind: 'pass' }
  /** It may be the probe. */
  | { readonly kind: 'probe' }
  /** A probe is under way. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'refuse'; readonly retryAfterMs?: number; readonly reason: string };

/** Which state of the breaker a permit was given in. */
export interface Admitted {
  readonly generation: number;
  readonly isProbe: boolean;
}

export class Breaker {
  #settings: BreakerSettings | false;
  #window: RollingWindow;
  #state: BreakerState;
  #generation = 0;
  #consecutive = 0;
  #isProbing = false;

  constructor(settings: BreakerSettings | false, state: BreakerState) {
    this.#settings = settings;
    this.#window = windowOf(settings);
    this.#state = state;
  }

  /** Takes on other settings; counts begin anew, and the state stays. */
  use(settings: BreakerSettings | false): void {
    this.#settings = settings;
    this.#window = windowOf(settings);
    this.#consecutive = 0;
  }

  get state(): BreakerState {
    return this.#state;
  }

  ask(nowMs: number): BreakerWord {
    this.#follow(nowMs);
    const { kind, untilMs, reason } = this.#state;
    if (kind === 'closed') return { kind: 'pass' };
    if (kind === 'half-open') return { kind: this.#isProbing ? 'wait' : 'probe' };
    if (untilMs === undefined) return { kind: 'refuse', reason };
    return untilMs <= nowMs ? { kind: 'probe' } : { kind: 'refuse', retryAfterMs: untilMs - nowMs, reason };
  }

  /** Lets one call through that `ask` let pass or probe. */
  admit(nowMs: number): { readonly admitted: Admitted; readonly change?: BreakerChange } {
    const { kind } = this.#state;
    if (kind === 'closed') return { admitted: { generation: this.#generation, isProbe: false } };
    const change =
      kind === 'open' ? this.#to({ kind: 'half-open', reason: 'the time it was open for is over' }, nowMs) : undefined;
    this.#isProbing = true;
    const admitted = { generation: this.#generation, isProbe: true };
    return change === undefined ? { admitted } : { admitted, change };
  }

  /** Takes in how an attempt ended. */
  tell({ generation, isProbe }: Admitted, end: AttemptEnd['kind'], nowMs: number): BreakerChange | undefined {
    if (generation !== this.#generation) return undefined;
    if (isProbe) this.#isProbing = false;
    if (end === 'unknown') return undefined;
    if (isProbe) {
      return end === 'answered'
        ? this.#to({ kind: 'closed', reason: 'the upstream answered the call that tried' }, nowMs)
        : this.#open('the call that tried failed', nowMs);
    }
    this.#window.add(end === 'failed', nowMs);
    this.#consecutive = end === 'failed' ? this.#consecutive + 1 : 0;
    const reason = end === 'failed' ? this.#whyOpen() : undefined;
    return reason === undefined ? undefined : this.#open(reason, nowMs);
  }

  /** A person's word. Undefined when it stands so already. */
  order(kind: 'open' | 'closed', reason: string, nowMs: number): BreakerChange | undefined {
    if (kind === 'closed' && this.#state.kind === 'closed') {
      this.#forget();
      return undefined;
    }
    if (kind === 'open' && this.#state.kind === 'open' && this.#state.untilMs === undefined) return undefined;
    return this.#to({ kind, reason }, nowMs);
  }

  #whyOpen(): string | undefined {
    if (this.#settings === false) return undefined;
    const { consecutiveFailures, minimumCalls, failureRatio } = this.#settings;
    if (this.#consecutive >= consecutiveFailures) return `${this.#consecutive} calls in a row failed`;
    const { ended, failed } = this.#window.totals();
    return ended >= minimumCalls && failed / ended >= failureRatio ? `${failed} of ${ended} calls failed` : undefined;
  }

  #open(reason: string, nowMs: number): BreakerChange {
    const openForMs = this.#settings === false ? 0 : this.#settings.openForMs;
    return this.#to({ kind: 'open', reason, untilMs: nowMs + openForMs }, nowMs);
  }

  /** The time that it is open for begins anew when the clock is before its beginning. */
  #follow(nowMs: number): void {
    const { sinceMs, untilMs } = this.#state;
    if (untilMs === undefined || nowMs >= sinceMs) return;
    this.#state = { ...this.#state, sinceMs: nowMs, untilMs: nowMs + (untilMs - sinceMs) };
  }

  /** The one place where the state changes. */
  #to(next: Omit<BreakerState, 'sinceMs'>, nowMs: number): BreakerChange {
    const { kind, ...rest } = next;
    const change = { from: this.#state.kind, to: kind, ...rest };
    this.#state = { ...next, sinceMs: nowMs };
    this.#generation += 1;
    this.#forget();
    return change;
  }

  #forget(): void {
    this.#window.clear();
    this.#consecutive = 0;
    this.#isProbing = false;
  }
}

function windowOf(settings: BreakerSettings | false): RollingWindow {
  return new RollingWindow(settings === false ? defaultBreaker.windowMs : settings.windowMs);
}
