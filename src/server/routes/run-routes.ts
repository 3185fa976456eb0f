/** Runs: list, start, follow to the end, steer. */
import type { StartOptions } from '../../facade/start-run.ts';
import { AxleError, isAxleError } from '../../error/axle-error.ts';
import { unknownRun } from '../../journal/checks.ts';
import { type RunFilter, runStates, type RunSummary } from '../../journal/store.ts';
import { defined } from '../../util/defined.ts';
import { isJsonObject } from '../../util/json.ts';
import { pageOf } from '../schema/components.ts';
import { flag, listOf, name, named, object, oneOf, open, strictObject, text } from '../schema/json-schema.ts';
import type { Page, ResultAnswer, RunRow } from '../wire.ts';
import { type Asked, json, numberIn, param, type Route, textIn } from './route.ts';

/** Seconds that an answer is waited for at most: what stands between gives up after a minute. */
const maxWaitSeconds = 50;
const waitParameter = {
  about: `How many seconds to wait for a result, at most ${maxWaitSeconds}; when not said, 0, and 10 for a call.`,
  schema: { type: 'number', minimum: 0, maximum: maxWaitSeconds },
};
const resultSchema = {
  oneOf: [named('RunResult'), object({ status: oneOf(['pending']), runId: text })],
};
const accepted = { 202: { about: 'It is durable, and the driver acts on it.', schema: named('Accepted') } };

export const runRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/runs',
    id: 'listRuns',
    about: 'Runs, newest first.',
    scope: 'read',
    query: {
      state: {
        about: `Where they stand: one or several of ${runStates.join(', ')}, separated by commas.`,
        schema: { type: 'string', pattern: `^(?:${runStates.join('|')})(?:,(?:${runStates.join('|')}))*$` },
      },
      subject: { about: 'The agent, or the tool of single calls.', schema: name },
      session: { about: 'The conversation that they belong to.', schema: name },
      limit: { about: 'How many, 50 when nothing is said.', schema: { type: 'integer', minimum: 1, maximum: 500 } },
      cursor: { about: 'Where the page before ended: its `next`.', schema: { ...text, pattern: '^[\\w-]{1,2000}$' } },
    },
    answers: { 200: { about: 'A page of runs; `next` is in the header Link too.', schema: pageOf('RunRow') } },
    handle: listRuns,
  },
  {
    method: 'POST',
    path: '/v1/runs',
    id: 'startRun',
    about: 'Starts a run of an agent. The same Idempotency-Key gives the same run.',
    scope: 'run',
    needs: 'idempotency-key',
    body: strictObject({ agent: name, input: text }, { session: name, context: open }),
    answers: { 201: { about: 'The run is durable.', schema: named('RunRow') } },
    handle: startRun,
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}',
    id: 'getRun',
    about: 'One run with its totals.',
    scope: 'read',
    answers: { 200: { about: 'The run.', schema: named('RunRow') } },
    handle: async (asked) => json(await rowOf(asked, param(asked, 'runId'))),
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/result',
    id: 'getResult',
    about: 'How the run ended, or what it waits for; `pending` when neither comes in time.',
    scope: 'read',
    query: { wait: waitParameter },
    answers: { 200: { about: 'The result.', schema: resultSchema } },
    handle: async (asked) => json(await resultOf(asked, param(asked, 'runId'), numberIn(asked.query, 'wait') ?? 0)),
  },
  {
    method: 'POST',
    path: '/v1/runs/{runId}/messages',
    id: 'sendMessage',
    about: 'Adds a message to the conversation of the run. With an Idempotency-Key, a repeated one counts once.',
    scope: 'run',
    body: strictObject({ text: { ...text, minLength: 1 } }),
    answers: accepted,
    handle: async (asked) => {
      const runId = param(asked, 'runId');
      await asked.parts.axle.run(runId).send(textIn(asked.body, 'text') ?? '', defined({ key: asked.key }));
      return json({ runId, accepted: true }, { status: 202 });
    },
  },
  {
    method: 'POST',
    path: '/v1/runs/{runId}/cancel',
    id: 'cancelRun',
    about: 'Asks the run to end: nothing new starts, what runs is aborted or awaited.',
    scope: 'run',
    body: strictObject({}, { reason: name, by: name }),
    answers: accepted,
    handle: async (asked) => {
      const runId = param(asked, 'runId');
      await asked.parts.axle.run(runId).cancel(textIn(asked.body, 'reason'), defined({ by: whoOf(asked) }));
      return json({ runId, accepted: true }, { status: 202 });
    },
  },
  {
    method: 'POST',
    path: '/v1/runs/{runId}/undo',
    id: 'undoRun',
    about: 'Takes back what a run that has ended did, in a run of its own. Asked again it is the same run.',
    scope: 'run',
    body: strictObject(
      {},
      { calls: { ...listOf(name), maxItems: 10_000 }, onProblem: oneOf(['stop', 'skip']), cancel: flag, again: flag },
    ),
    answers: { 201: { about: 'The run that takes it back.', schema: named('RunRow') } },
    handle: async (asked) => {
      const undo = await asked.parts.axle.undo(param(asked, 'runId'), asked.body);
      return created(await rowOf(asked, undo.id));
    },
  },
  {
    method: 'POST',
    path: '/v1/calls',
    id: 'startCall',
    about: 'One governed call: checked, decided, performed and recorded. The same Idempotency-Key gives the same call.',
    scope: 'run',
    needs: 'idempotency-key',
    query: { wait: waitParameter },
    body: strictObject({ tool: name, input: {} }, { session: name, context: open }),
    answers: {
      201: {
        about: 'The call as a run; with its result when that came in time.',
        schema: object({ run: named('RunRow') }, { result: named('RunResult') }),
      },
    },
    handle: startCall,
  },
];

async function listRuns(asked: Asked): Promise<Response> {
  const { query, parts, request } = asked;
  const limit = numberIn(query, 'limit') ?? 50;
  const cursor = textIn(query, 'cursor');
  const states = textIn(query, 'state')?.split(',');
  const filter: RunFilter = {
    limit: limit + 1,
    ...defined({
      states: states === undefined ? undefined : runStates.filter((state) => states.includes(state)),
      subject: textIn(query, 'subject'),
      session: textIn(query, 'session'),
      beforeRunId: cursor === undefined ? undefined : await runOfCursor(asked, cursor),
    }),
  };
  const found = await parts.axle.runs(filter);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const next = found.length > limit && last !== undefined ? Buffer.from(last.runId).toString('base64url') : undefined;
  const page: Page<RunRow> = { items: await parts.rows.list(shown), ...defined({ next }) };
  return json(page, { headers: next === undefined ? {} : { link: linkTo(request.url, next) } });
}

/** An empty page for a cursor that is none would look like the end of the list. */
async function runOfCursor({ parts }: Asked, cursor: string): Promise<string> {
  const runId = Buffer.from(cursor, 'base64url').toString();
  if ((await parts.axle.store.run(runId)) !== undefined) return runId;
  throw new AxleError('request-invalid', `The cursor ${JSON.stringify(cursor)} is no \`next\` of this list.`);
}

function linkTo(address: string, cursor: string): string {
  const { pathname, searchParams } = new URL(address);
  searchParams.set('cursor', cursor);
  return `<${pathname}?${searchParams.toString()}>; rel="next"`;
}

async function startRun(asked: Asked): Promise<Response> {
  const { body, parts, key } = asked;
  const run = await parts.axle.start(textIn(body, 'agent') ?? '', {
    input: textIn(body, 'input') ?? '',
    ...startOptions(asked, key),
  });
  return created(await rowOf(asked, run.id));
}

async function startCall(asked: Asked): Promise<Response> {
  const { body, parts, key, query } = asked;
  const run = await parts.axle.startCall(textIn(body, 'tool') ?? '', body['input'] ?? null, startOptions(asked, key));
  const wait = numberIn(query, 'wait') ?? 10;
  const result = await resultOf(asked, run.id, wait);
  const row = await rowOf(asked, run.id);
  return json(
    { run: row, ...(result.status === 'pending' ? {} : { result }) },
    { status: 201, headers: { location: placeOf(run.id) } },
  );
}

function startOptions({ body }: Asked, key: string | undefined): StartOptions {
  const { context } = body;
  return defined({ key, session: textIn(body, 'session'), context: isJsonObject(context) ? context : undefined });
}

/** Who did something: the name that the request gives, else that of its token. */
export function whoOf({ body, caller }: Asked): string | undefined {
  return textIn(body, 'by') ?? caller.name;
}

/** The least time of a wait: one look at the run needs a moment. */
const leastWaitMs = 50;

async function resultOf({ parts, request }: Asked, runId: string, waitSeconds: number): Promise<ResultAnswer> {
  const patience = AbortSignal.timeout(Math.max(leastWaitMs, waitSeconds * 1_000));
  try {
    return await parts.axle.run(runId).result({ signal: AbortSignal.any([patience, request.signal]) });
  } catch (error) {
    if (patience.aborted && isAxleError(error, 'aborted')) return { status: 'pending', runId };
    throw error;
  }
}

/** @throws AxleError `run-unknown` */
export async function summaryOf({ parts }: Asked, runId: string): Promise<RunSummary> {
  const summary = await parts.axle.store.run(runId);
  if (summary === undefined) throw unknownRun(runId);
  return summary;
}

export async function rowOf(asked: Asked, runId: string): Promise<RunRow> {
  return asked.parts.rows.row(await summaryOf(asked, runId));
}

export function created(row: RunRow): Response {
  return json(row, { status: 201, headers: { location: placeOf(row.runId) } });
}

function placeOf(runId: string): string {
  return `/v1/runs/${encodeURIComponent(runId)}`;
}
