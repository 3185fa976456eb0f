/** What the journal of a run says: entries, live events, log lines beside it. */
import { defined } from '../../util/defined.ts';
import { toAgUi } from '../../live/ag-ui/ag-ui-encoder.ts';
import { placeOf } from '../../live/stream-place.ts';
import { entryLinesAfter } from '../read/entry-rows.ts';
import type { StreamedEvent } from '../stream/event-stream.ts';
import { runEvents } from '../stream/run-events.ts';
import { count, listOf, named, object, text } from '../schema/json-schema.ts';
import { type Asked, json, numberIn, param, type Route, textIn } from './route.ts';
import { summaryOf } from './run-routes.ts';

const eventStreamAnswer = { media: 'text/event-stream' };
const place = { type: 'integer', minimum: 0 };

export const journalRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/runs/{runId}/entries',
    id: 'listEntries',
    about: 'Committed entries in order.',
    scope: 'read',
    query: {
      after: { about: 'The sequence number after which they begin.', schema: place },
      limit: { about: 'How many, 200 when nothing is said.', schema: { type: 'integer', minimum: 1, maximum: 1_000 } },
    },
    answers: {
      200: {
        about: 'A page of entries; `next` is the `after` of the page that follows.',
        schema: object({ items: listOf(named('EntryRow')) }, { next: text }),
      },
    },
    handle: async (asked) => {
      const runId = param(asked, 'runId');
      const { seq } = await summaryOf(asked, runId);
      const after = numberIn(asked.query, 'after') ?? 0;
      const items = await entryLinesAfter(asked.parts.axle.store, runId, {
        after,
        limit: numberIn(asked.query, 'limit') ?? 200,
      });
      const last = items.at(-1)?.seq ?? seq;
      return json({ items, ...(last < seq ? { next: String(last) } : {}) });
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/events',
    id: 'followRun',
    about:
      'What happens in the run, live, until it has ended: committed entries, and between them what is in none yet. With Last-Event-ID nothing is missed, and no entry comes twice.',
    scope: 'read',
    query: { after: { about: 'The same as the header Last-Event-ID.', schema: { ...text, maxLength: 100 } } },
    answers: { 200: { about: 'A stream of events, each with JSON data.', ...eventStreamAnswer } },
    handle: followRun,
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/agui',
    id: 'followRunAsAgUi',
    about: 'The same as events of AG-UI 1.0, from the first one on.',
    scope: 'read',
    answers: { 200: { about: 'A stream of events, each with JSON data.', ...eventStreamAnswer } },
    handle: async (asked) => {
      const { runId } = await summaryOf(asked, param(asked, 'runId'));
      const run = asked.parts.axle.run(runId);
      return asked.parts.listeners.stream((signal) => withData(toAgUi(runId, run.stream({ signal }))));
    },
  },
  {
    method: 'GET',
    path: '/v1/events',
    id: 'followRuns',
    about: 'Which runs change, and the counters: what a list needs to follow.',
    scope: 'read',
    answers: { 200: { about: 'A stream of events, each with JSON data.', ...eventStreamAnswer } },
    handle: async ({ parts }) => parts.listeners.stream((signal) => withData(parts.changes.follow(signal))),
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/logs',
    id: 'listLogs',
    about: 'Log lines of this process about the run; they are in its memory alone, and bounded.',
    scope: 'read',
    query: {
      after: { about: 'The number of the line after which they begin.', schema: place },
      limit: { about: 'How many, 500 when nothing is said.', schema: { type: 'integer', minimum: 1, maximum: 2_000 } },
    },
    answers: { 200: { about: 'The lines.', schema: object({ items: listOf(named('LogLine')), lost: count }) } },
    handle: async (asked) => {
      const runId = param(asked, 'runId');
      await summaryOf(asked, runId);
      const after = numberIn(asked.query, 'after') ?? 0;
      const limit = numberIn(asked.query, 'limit') ?? 500;
      return json(asked.parts.logs?.linesOf(runId, { after, limit }) ?? { items: [], lost: 0 });
    },
  },
];

async function followRun(asked: Asked): Promise<Response> {
  const { parts, request, query } = asked;
  const { axle } = parts;
  const runId = param(asked, 'runId');
  await summaryOf(asked, runId);
  const after = request.headers.get('last-event-id') ?? textIn(query, 'after');
  // What is no id is told before the stream begins.
  if (after !== undefined) placeOf(after);
  return parts.listeners.stream((signal) =>
    runEvents(axle.store, runId, axle.run(runId).stream({ signal, ...defined({ after }) })),
  );
}

async function* withData(events: AsyncIterable<object>): AsyncGenerator<StreamedEvent> {
  for await (const data of events) yield { data };
}
