/** The OpenAPI 3.1 document of the API, made from the table of routes that serves it. */
import type { JsonObject } from '../util/json.ts';
import type { Route } from './routes/route.ts';
import { components } from './schema/components.ts';

export function openApiDocument(
  routes: readonly Route[],
  { version, needsToken }: { readonly version: string; readonly needsToken: boolean },
): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Axle',
      version,
      description: 'Runs of agents and tools: start, follow, steer and answer them, and see what happened.',
    },
    paths,
    components: {
      schemas: components,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: needsToken ? [{ token: [] }] : [],
  };
}

function operationOf(route: Route): JsonObject {
  const { id, about, scope, body, answers } = route;
  return {
    operationId: id,
    summary: about,
    ...(scope === 'public' ? { security: [] } : { 'x-scope': scope }),
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: Array.isArray(body['required']) && body['required'].length > 0,
            content: { 'application/json': { schema: body } },
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { about: description, schema, media = 'application/json' }]) => [
          status,
          { description, content: { [media]: schema === undefined ? {} : { schema } } },
        ]),
      ),
      default: {
        description: 'What went wrong, and what to do about it (RFC 9457).',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function pathParameters({ path }: Route): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query = {} }: Route): readonly JsonObject[] {
  return Object.entries(query).map(([name, { about, schema }]) => ({ name, in: 'query', description: about, schema }));
}

const headersNeeded: Readonly<Record<NonNullable<Route['needs']>, JsonObject>> = {
  'idempotency-key': { name: 'Idempotency-Key', description: 'Your own name for the request.' },
  'if-match': { name: 'If-Match', description: 'The etag of the question, in quotes.' },
};

function headerParameters({ needs }: Route): readonly JsonObject[] {
  return needs === undefined
    ? []
    : [{ ...headersNeeded[needs], in: 'header', required: true, schema: { type: 'string' } }];
}
