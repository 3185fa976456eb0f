/** The log lines of this process, in a bounded memory, so that those of a run can be looked at beside it. */
import type { Log, LogLevel } from '../../run/engine.ts';
import { cutText } from '../../util/cut-text.ts';
import type { JsonObject } from '../../util/json.ts';
import type { LogAnswer, LogLine } from '../wire.ts';

export interface RunLogsOptions {
  /** Lines that are kept over all runs. @defaultValue 20,000 */
  readonly maxLines?: number;
  /** Gets every line too. */
  readonly next?: Log;
}

export interface RunLogs {
  /** For the option `log` of `createAxle`. */
  readonly log: Log;
  /** Lines of a run after a number, at most `limit`. */
  linesOf(runId: string, options: { readonly after: number; readonly limit: number }): LogAnswer;
}

const maxMessageChars = 2_000;
const maxFieldsChars = 8_000;

/** Keeps the last log lines. What is too long of one is left out. */
export function runLogs({ maxLines = 20_000, next }: RunLogsOptions = {}): RunLogs {
  const ring: (LogLine & { readonly runId?: string })[] = [];
  let written = 0;
  const log: Log = (level, message, fields) => {
    const { runId } = fields;
    ring[written % maxLines] = {
      ...lineOf(level, message, fields),
      number: (written += 1),
      ...(typeof runId === 'string' ? { runId } : {}),
    };
    next?.(level, message, fields);
  };
  return {
    log,
    linesOf: (runId, { after, limit }) => {
      const lost = Math.max(0, written - maxLines);
      const items: LogLine[] = [];
      for (let number = Math.max(after, lost); number < written && items.length < limit; number += 1) {
        const line = ring[number % maxLines];
        if (line?.runId !== runId) continue;
        const { runId: _, ...shown } = line;
        items.push(shown);
      }
      return { items, lost };
    },
  };
}

function lineOf(level: LogLevel, message: string, fields: JsonObject): Omit<LogLine, 'number'> {
  const { runId: _, ...rest } = fields;
  const isTooLong = JSON.stringify(rest).length > maxFieldsChars;
  return {
    atMs: Date.now(),
    level,
    message: cutText(message, maxMessageChars),
    fields: isTooLong ? { leftOut: 'The fields of this line are too long to be kept.' } : rest,
  };
}
