/** Structured logs: one JSON object a line, with the ids of what it is about. (O6) */
import type { Log } from '../run/engine.ts';

const ranks = { debug: 10, info: 20, warn: 30, error: 40 } as const;

/** Writes lines of at least `level` through `write`. Control characters are escaped by JSON, so no line can forge another. */
export function jsonLinesLog(level: keyof typeof ranks, write: (line: string) => void, nowMs: () => number): Log {
  return (lineLevel, message, fields) => {
    if (ranks[lineLevel] < ranks[level]) return;
    write(`${JSON.stringify({ time: new Date(nowMs()).toISOString(), level: lineLevel, message, ...fields })}\n`);
  };
}
