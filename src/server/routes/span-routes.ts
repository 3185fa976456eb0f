/** What happened in a run, as people look at it: spans, and the large values in them. */
import { maxFilterLength } from '../../trace/filter/span-filter.ts';
import { defined } from '../../util/defined.ts';
import { bodyAnswer, unknownBody } from '../read/body-answer.ts';
import { anything, named, text } from '../schema/json-schema.ts';
import { json, numberIn, param, type Route, textIn } from './route.ts';
import { summaryOf } from './run-routes.ts';

export const spanRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/runs/{runId}/spans',
    id: 'getSpans',
    about: 'The spans of the run as columns. Rows stand in the order in which they began, so an index is stable.',
    scope: 'read',
    query: {
      since: {
        about: 'Only rows that began or changed after this entry: the `seq` of the table that was read last.',
        schema: { type: 'integer', minimum: 0 },
      },
      filter: {
        about: 'Only what the filter finds and what stands above it, such as `tool:send_mail status:error`.',
        schema: { ...text, maxLength: maxFilterLength },
      },
    },
    answers: { 200: { about: 'The table.', schema: named('SpanTable') } },
    handle: async (asked) => {
      const runId = param(asked, 'runId');
      await summaryOf(asked, runId);
      const { query } = asked;
      const wanted = defined({ since: numberIn(query, 'since'), filter: textIn(query, 'filter') });
      return json(await asked.parts.spans.table(runId, wanted));
    },
  },
  {
    method: 'GET',
    path: '/v1/bodies/{hash}',
    id: 'getBody',
    about: 'A large value, as its JSON text; with Range, a part of its bytes. It never changes.',
    scope: 'read',
    answers: {
      200: { about: 'The value.', schema: anything },
      206: { about: 'A part of it.' },
      416: { about: 'The value has no such part.' },
    },
    handle: async (asked) => {
      const hash = param(asked, 'hash');
      const body = await asked.parts.axle.store.body(hash);
      if (body === undefined) throw unknownBody(hash);
      return bodyAnswer(body, hash, asked.request.headers.get('range'));
    },
  },
];
