/** Log lines of Axle in a logger of pino, with the ids under the names by which log stores join lines and traces. (O6) */
import type { Log, LogLevel } from '../run/engine.ts';
import type { JsonValue } from '../util/json.ts';
import { SpanIds } from './span-id.ts';
import { callSpan, rootSpan } from './spans-of.ts';

type Fields = Readonly<Record<string, JsonValue>>;

/** What Axle needs of a logger: pino has it, and whatever is made like it. */
export type PinoLogger = Readonly<Record<LogLevel, (fields: Fields, message: string) => void>> & {
  readonly level: string;
};

const levels: ReadonlySet<string> = new Set(['debug', 'info', 'warn', 'error'] satisfies LogLevel[]);

/**
 * A log for `createAxle` that writes to a logger of pino. Every line about a run has `run_id`, `trace_id`, `span_id` and `step`, every line about a call `call_id`;
 * `span_id` is that of the attempt or the call where the line is about one, else that of the run, as `createTraces` sends them. Lines below the level that the
 * logger has now are not made.
 *
 * @example
 * ```ts
 * await using axle = await createAxle({ store: 'axle.db', log: pinoLog(pino()) });
 * ```
 */
export function pinoLog(logger: PinoLogger): Log {
  const log: Log = (level, message, fields) => logger[level](withIds(fields), message);
  const least = leastOf(logger.level);
  return least === undefined ? log : Object.assign(log, { least });
}

/** pino has levels above and below ours. */
function leastOf(level: string): LogLevel | undefined {
  if (level === 'fatal' || level === 'silent') return 'error';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is in the set of them.
  return levels.has(level) ? (level as LogLevel) : undefined;
}

function withIds({ runId, traceId, callId, step, ...rest }: Fields): Fields {
  if (typeof runId !== 'string') return callId === undefined ? rest : { ...rest, call_id: callId };
  const { attempt } = rest;
  const span =
    typeof callId === 'string' ? callSpan(callId, typeof attempt === 'number' ? attempt : undefined) : rootSpan;
  return {
    run_id: runId,
    ...(traceId === undefined ? {} : { trace_id: traceId }),
    span_id: new SpanIds(runId).of(span),
    ...(step === undefined ? {} : { step }),
    ...(callId === undefined ? {} : { call_id: callId }),
    ...rest,
  };
}
