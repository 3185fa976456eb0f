/**
 * While a schedule runs, the machine's own clock, timers, randomness and network are throwers: code that reaches past its ports fails loudly
 * instead of making the simulation quietly wrong.
 */
const forbidden = ['setTimeout', 'setInterval', 'setImmediate', 'fetch'] as const;

class LeakError extends Error {
  override readonly name = 'LeakError';
}

function thrower(name: string): () => never {
  return () => {
    throw new LeakError(`${name} was used inside the simulation: it must come in through a port.`);
  };
}

/** A date that knows no now. */
class TimelessDate extends Date {
  // Each form of the constructor is handed on as it is.
  constructor(...parts: [] | [number | string | Date]) {
    if (parts.length === 0) thrower('new Date()')();
    super(...(parts as [number]));
  }
  static override now = thrower('Date.now');
}

/** Takes the machine away; returns the way to give it back. */
export function withdrawMachine(): () => void {
  const kept = {
    Date: globalThis.Date,
    random: Math.random,
    // oxlint-disable-next-line typescript/unbound-method -- It is put back where it was, and not called from here.
    now: performance.now,
    timers: forbidden.map((name) => globalThis[name]),
    stackTraceLimit: Error.stackTraceLimit,
  };
  Object.assign(globalThis, Object.fromEntries(forbidden.map((name) => [name, thrower(name)])), { Date: TimelessDate });
  Math.random = thrower('Math.random');
  performance.now = thrower('performance.now');
  // Nobody looks at the stacks of errors that are part of the play, and they are a good part of what it costs.
  Error.stackTraceLimit = 0;
  return () => {
    Object.assign(globalThis, Object.fromEntries(forbidden.map((name, place) => [name, kept.timers[place]])), {
      Date: kept.Date,
    });
    Math.random = kept.random;
    performance.now = kept.now;
    Error.stackTraceLimit = kept.stackTraceLimit;
  };
}
