/** Structured logs: one JSON object a line, with the ids of what it is about. (O6) */
import type { Log, LogLevel } from '../run/engine.ts';

const ranks: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40 };

/** Writes lines of at least `level` through `write`. Control characters are escaped by JSON, so no line can forge another. */
export function jsonLinesLog(level: LogLevel, write: (line: string) => void, nowMs: () => number): Log {
  const log: Log = (lineLevel, message, fields) => {
    if (ranks[lineLevel] < ranks[level]) return;
    write(`${JSON.stringify({ time: new Date(nowMs()).toISOString(), level: lineLevel, message, ...fields })}\n`);
  };
  return Object.assign(log, { least: level });
}
