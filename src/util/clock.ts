/**
 * Time as a port. The core asks a `Clock` and never the machine, so that a simulation can drive it by hand.
 */
export interface Clock {
  /** Wall time in milliseconds since 1970. May jump in both directions: safety never rests on it. */
  nowMs(): number;
}

/** Stops a timer; calling it twice does nothing. */
export type CancelTimer = () => void;

/** Delayed work as a port. */
export interface Timers {
  /**
   * Runs `task` once, after `delayMs` (0 to 366 days; longer than 2^31-1 ms is split, since Node fires such timers at once).
   * @throws AxleError `timer-out-of-range`
   */
  after(delayMs: number, task: () => void): CancelTimer;
  /** Runs `task` once, as soon as what is under way has had its turn: the moment at which writes of many runs are grouped. */
  soon(task: () => void): void;
}
