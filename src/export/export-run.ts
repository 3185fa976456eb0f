/** Runs in the forms that others read. */
import { AxleError } from '../error/axle-error.ts';
import { unknownRun } from '../journal/checks.ts';
import type { RunEnding } from '../journal/entry.ts';
import { readAppends } from '../journal/read-appends.ts';
import type { Store } from '../journal/store.ts';
import { spanText, traceBody } from '../otel/otlp-json.ts';
import { SpanIds } from '../otel/span-id.ts';
import { partSpans, runSpan } from '../otel/spans-of.ts';
import { TraceBuilder } from '../trace/trace-of.ts';
import { atifTrajectory } from './atif.ts';
import { chatExample } from './chat.ts';
import { recordedRun } from './recorded-conversation.ts';
import { runFileLines } from './run-file.ts';

/** `axle` is the run file, which loses nothing and can be imported; the others are for other programs. */
export const exportFormats = ['axle', 'atif', 'chat', 'otel'] as const;

export type ExportFormat = (typeof exportFormats)[number];

/**
 * A run as text, piece by piece; each piece is a line or ends a document. A run without a conversation gives nothing as `chat`.
 * @throws AxleError `run-unknown`, `usage-invalid` for a format that does not exist
 */
export async function* exportRun(store: Store, runId: string, format: ExportFormat = 'axle'): AsyncGenerator<string> {
  switch (format) {
    case 'axle':
      yield* runFileLines(store, runId);
      return;
    case 'atif':
      yield `${JSON.stringify(atifTrajectory(await recordedRun(store, runId)))}\n`;
      return;
    case 'chat': {
      const example = chatExample(await recordedRun(store, runId));
      if (example !== undefined) yield `${JSON.stringify(example)}\n`;
      return;
    }
    case 'otel':
      yield `${await tracedRun(store, runId)}\n`;
      return;
    default:
      throw new AxleError('usage-invalid', `A run is exported as ${exportFormats.join(', ')}, not ${String(format)}.`);
  }
}

/** The trace of a run as one request of OTLP; what is still open is left out. */
async function tracedRun(store: Store, runId: string): Promise<string> {
  const builder = new TraceBuilder();
  for await (const append of readAppends(store, runId, { bodies: 'reference' })) builder.take(append);
  const { head, parts } = builder;
  if (head.seq === 0) throw unknownRun(runId);
  const run = { head, parts, ids: new SpanIds(runId) };
  const spans = [runSpan(run), ...parts.flatMap((part) => partSpans(run, part).map(([, span]) => span))];
  const { before, after } = traceBody();
  return `${before}${spans.map(spanText).join(',')}${after}`;
}

export interface SelectOptions {
  /** Only runs that ended so. @defaultValue all that have ended */
  readonly only?: readonly RunEnding[];
  /** Only runs of this agent. */
  readonly subject?: string;
  /** @defaultValue 1,000 */
  readonly limit?: number;
}

/** The ids of runs that have ended, newest first: what is worth learning from is chosen by how it ended. */
export async function* endedRuns(store: Store, options: SelectOptions = {}): AsyncGenerator<string> {
  const { only, subject, limit = 1_000 } = options;
  let beforeRunId: string | undefined;
  for (let found = 0; ;) {
    const page = await store.runs({
      states: ['ended'],
      limit: 1_000,
      ...(subject === undefined ? {} : { subject }),
      ...(beforeRunId === undefined ? {} : { beforeRunId }),
    });
    for (const { runId, status } of page) {
      if (status.ending === undefined || (only !== undefined && !only.includes(status.ending))) continue;
      if (found === limit) return;
      found += 1;
      yield runId;
    }
    beforeRunId = page.at(-1)?.runId;
    if (beforeRunId === undefined || page.length < 1_000) return;
  }
}
