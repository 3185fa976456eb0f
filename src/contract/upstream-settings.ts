/** What may be asked of an upstream, and when it is left alone: the settings behind `limits` and `breaker` of a contract and `upstreams` of an Axle. */

/** So many calls in so long a time. */
export interface Rate {
  readonly calls: number;
  readonly perMs: number;
}

/** When calls stop going to an upstream that fails. */
export interface BreakerSettings {
  /** Time over which calls are counted, in milliseconds. */
  readonly windowMs: number;
  /** Calls that must have ended in the window before `failureRatio` counts. */
  readonly minimumCalls: number;
  /** Part of the calls in the window at whose failure it opens, above 0 to 1. */
  readonly failureRatio: number;
  /** Failures in a row at which it opens, whatever the window holds. */
  readonly consecutiveFailures: number;
  /** How long it stays open before one call may try, in milliseconds. */
  readonly openForMs: number;
}

/** What somebody declared of an upstream: what is left out is for others to say, or the default. */
export interface DeclaredSettings {
  readonly rate?: Rate;
  readonly burst?: number;
  readonly concurrency?: number;
  readonly queue?: number;
  readonly maxWaitMs?: number;
  /** False: it never opens by itself. */
  readonly breaker?: BreakerSettings | false;
}

/** All that an upstream is held to. */
export interface UpstreamSettings extends DeclaredSettings {
  /** Calls that may start at once after a rest, for an upstream with a rate. */
  readonly burst: number;
  /** Calls that may wait, over all runs. */
  readonly queue: number;
  /** How long a call may wait, in milliseconds. */
  readonly maxWaitMs: number;
  readonly breaker: BreakerSettings | false;
}

/**
 * A minute of calls, at least ten of them, half of which fail, or five failures in a row: a burst of bad luck does not open it, an outage does within seconds.
 * Half a minute is what most restarts and fail-overs take.
 */
export const defaultBreaker: BreakerSettings = Object.freeze({
  windowMs: 60_000,
  minimumCalls: 10,
  failureRatio: 0.5,
  consecutiveFailures: 5,
  openForMs: 30_000,
});

const defaultQueue = 100;
const defaultMaxWaitMs = 60_000;

/** The settings with every default in its place. */
export function withDefaults(declared: DeclaredSettings): UpstreamSettings {
  const { queue = defaultQueue, maxWaitMs = defaultMaxWaitMs, breaker = defaultBreaker } = declared;
  return Object.freeze({ ...declared, queue, maxWaitMs, breaker, burst: declared.burst ?? burstOf(declared.rate) });
}

/** A tenth of the rate: no period then sees more than a tenth above what is declared. */
function burstOf(rate: Rate | undefined): number {
  return rate === undefined ? 1 : Math.max(1, Math.round(rate.calls / 10));
}

const unitsMs: Readonly<Record<string, number>> = {
  s: 1_000,
  sec: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A rate as people write it: `5/s`, `100/min`, `1000/h`, `3/10s`. Undefined for anything else; at most a million calls, in 1 ms to 31 days. */
export function parseRate(text: unknown): Rate | undefined {
  if (typeof text !== 'string') return undefined;
  const match = /^(\d+(?:\.\d+)?) ?\/ ?(\d*(?:\.\d+)?)(s|sec|m|min|h|d)$/u.exec(text.trim());
  if (match === null) return undefined;
  const calls = Number(match[1]);
  const perMs = (match[2] === '' ? 1 : Number(match[2])) * (unitsMs[match[3] ?? ''] ?? 0);
  const fits = calls > 0 && calls <= 1_000_000 && perMs >= 1 && perMs <= 31 * 86_400_000;
  return fits ? Object.freeze({ calls, perMs }) : undefined;
}
