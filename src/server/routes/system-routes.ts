/** The server itself: health, description, what the error codes mean. */
import process from 'node:process';
import { AxleError } from '../../error/axle-error.ts';
import { errorCatalogue, isErrorCode } from '../../error/catalogue.ts';
import { defined } from '../../util/defined.ts';
import { statusOf } from '../problem.ts';
import { named, object, oneOf, open } from '../schema/json-schema.ts';
import type { SystemAnswer } from '../wire.ts';
import { type Asked, json, param, type Route } from './route.ts';

const health = { schema: object({ status: oneOf(['ok', 'draining', 'unavailable']) }) };

export const systemRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/healthz',
    id: 'getHealth',
    about: 'Whether the process answers.',
    scope: 'public',
    answers: { 200: { about: 'It does.', ...health } },
    handle: async () => json({ status: 'ok' }),
  },
  {
    method: 'GET',
    path: '/startupz',
    id: 'getStartup',
    about: 'Whether the process has started: it has, when it answers.',
    scope: 'public',
    answers: { 200: { about: 'It has.', ...health } },
    handle: async () => json({ status: 'ok' }),
  },
  {
    method: 'GET',
    path: '/readyz',
    id: 'getReadiness',
    about: 'Whether work can be given to the process: its store answers, and it is not ending.',
    scope: 'public',
    answers: {
      200: { about: 'It can.', ...health },
      503: { about: 'It cannot.', ...health },
    },
    handle: readiness,
  },
  {
    method: 'GET',
    path: '/v1/system',
    id: 'getSystem',
    about: 'The server: version, role, what the caller may do, counters.',
    scope: 'read',
    answers: { 200: { about: 'The server.', schema: named('SystemAnswer') } },
    handle: async (asked) => json(await systemOf(asked)),
  },
  {
    method: 'GET',
    path: '/v1/errors/{code}',
    id: 'getError',
    about: 'What an error code means, and what to do about it.',
    scope: 'public',
    answers: { 200: { about: 'The code.', schema: named('ErrorRow') } },
    handle: async (asked) => {
      const code = param(asked, 'code');
      if (!isErrorCode(code)) throw new AxleError('route-unknown', `No error has the code ${JSON.stringify(code)}.`);
      const { class: errorClass, meaning, remedy } = errorCatalogue[code];
      return json({ code, class: errorClass, status: statusOf(code, errorClass), meaning, remedy });
    },
  },
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'getDescription',
    about: 'This description.',
    scope: 'public',
    answers: { 200: { about: 'OpenAPI 3.1.', schema: open } },
    handle: async ({ parts }) => json(parts.document()),
  },
];

async function readiness({ parts }: Asked): Promise<Response> {
  if (parts.isDraining()) return json({ status: 'draining' }, { status: 503 });
  try {
    await parts.axle.store.run('run_readiness');
    return json({ status: 'ok' });
  } catch {
    return json({ status: 'unavailable' }, { status: 503 });
  }
}

async function systemOf({ parts, caller }: Asked): Promise<SystemAnswer> {
  const { axle, rows, isReadOnly, needsToken, startedAtMs, version, listeners } = parts;
  const nowMs = Date.now();
  return {
    name: 'axle',
    version,
    storeId: axle.store.storeId,
    role: axle.isDriver ? 'driver' : 'client',
    isReadOnly,
    isDraining: parts.isDraining(),
    needsToken,
    scopes: isReadOnly ? caller.scopes.filter((scope) => scope === 'read') : caller.scopes,
    ...defined({ caller: caller.name }),
    startedAtMs,
    nowMs,
    node: process.version,
    memoryBytes: process.memoryUsage.rss(),
    counters: await rows.counters(nowMs),
    listeners: listeners.count,
  };
}
