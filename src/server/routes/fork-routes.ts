/** Runs beside each other: a fork of one, and the comparison of two. */
import { AxleError } from '../../error/axle-error.ts';
import { defined } from '../../util/defined.ts';
import { listOf, name, named, open, strictObject, text } from '../schema/json-schema.ts';
import { json, param, type Route, textIn } from './route.ts';
import { created, rowOf } from './run-routes.ts';

export const forkRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/runs/{runId}/fork',
    id: 'forkRun',
    about:
      'Begins another run with the steps before `at` as its history, and goes on with something changed. Recorded side effects are not performed again. With an Idempotency-Key, a repeated request gives the same fork.',
    scope: 'run',
    body: strictObject(
      { at: { type: 'integer', minimum: 1 } },
      { model: name, instructions: text, input: text, results: open, live: { ...listOf(name), maxItems: 1_000 } },
    ),
    answers: { 201: { about: 'The fork.', schema: named('RunRow') } },
    handle: async (asked) => {
      const { at, ...options } = asked.body;
      const request = { at: Number(at), ...options, ...defined({ key: asked.key }) };
      const fork = await asked.parts.axle.fork(param(asked, 'runId'), request);
      return created(await rowOf(asked, fork.id));
    },
  },
  {
    method: 'GET',
    path: '/v1/compare',
    id: 'compareRuns',
    about: 'Two runs side by side: where they part, and in what their steps differ.',
    scope: 'read',
    query: { left: { about: 'A run.', schema: name }, right: { about: 'Another.', schema: name } },
    answers: { 200: { about: 'The comparison.', schema: named('RunComparison') } },
    handle: async ({ query, parts }) => {
      const left = textIn(query, 'left');
      const right = textIn(query, 'right');
      if (left === undefined || right === undefined) {
        throw new AxleError('usage-invalid', 'A comparison needs two runs: ?left=RUN&right=RUN.');
      }
      return json(await parts.axle.compare(left, right));
    },
  },
];
