/** What a route asks of a request before it is handled: scope, parameters, headers, body. */
import type { CheckedSchema } from '../../contract/contract.ts';
import { toCheckedSchema } from '../../contract/schema/checked-schema.ts';
import { thereAre } from '../../contract/near-miss.ts';
import { AxleError } from '../../error/axle-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { readJsonBody } from './read-body.ts';
import type { Asked, Parameter, Route, ServerParts } from '../routes/route.ts';
import type { TokenBook } from './tokens.ts';

export interface CheckOptions {
  readonly parts: ServerParts;
  readonly tokens: TokenBook;
  readonly maxBodyBytes: number;
}

/** @throws AxleError `token-refused`, `scope-missing`, `draining`, `request-invalid`, and what `readJsonBody` throws */
export async function checkRequest(
  route: Route,
  { request, params }: { readonly request: Request; readonly params: Asked['params'] },
  { parts, tokens, maxBodyBytes }: CheckOptions,
): Promise<Asked> {
  const caller = route.scope === 'public' ? { scopes: [] } : tokens.callerOf(request.headers.get('authorization'));
  assertScope(route, caller.scopes, parts);
  const url = new URL(request.url);
  const query = readQuery(route, url.searchParams);
  const key = readKey(route, request);
  const ifMatch = route.needs === 'if-match' ? readIfMatch(request) : undefined;
  const body = route.body === undefined ? {} : readBody(route, await readJsonBody(request, maxBodyBytes));
  return { request, parts, caller, params, query, body, key, ifMatch };
}

function assertScope({ scope, id }: Route, scopes: readonly string[], { isReadOnly, isDraining }: ServerParts): void {
  if (scope === 'public') return;
  if (!scopes.includes(scope)) {
    throw new AxleError('scope-missing', `${id} needs a token with the scope ${scope}.`, { details: { scope } });
  }
  if (scope === 'read') return;
  if (isReadOnly) throw new AxleError('scope-missing', `This server is read-only, and ${id} changes something.`);
  if (scope === 'run' && isDraining()) throw new AxleError('draining', 'The server is ending and takes no more work.');
}

function readQuery(route: Route, given: URLSearchParams): Asked['query'] {
  const declared = route.query ?? {};
  const query: Record<string, string | number | boolean> = {};
  for (const name of given.keys()) {
    const parameter = declared[name];
    if (parameter === undefined || !Object.hasOwn(declared, name)) {
      throw new AxleError(
        'request-invalid',
        `${route.id} has no parameter ${name}; ${thereAre(name, Object.keys(declared))}.`,
      );
    }
    if (given.getAll(name).length > 1) throw new AxleError('request-invalid', `The parameter ${name} is there twice.`);
    query[name] = readParameter(name, given.get(name) ?? '', parameter);
  }
  return query;
}

function readParameter(name: string, given: string, { schema }: Parameter): string | number | boolean {
  const value = schema['type'] === 'integer' || schema['type'] === 'number' ? numberOf(given) : given;
  const checked = checkerOf(schema, `The parameter ${name}`).check(value);
  if (checked.ok) return value;
  const [issue] = checked.issues;
  throw new AxleError(
    'request-invalid',
    `The parameter ${name} is ${JSON.stringify(given)}: it ${issue?.message ?? 'does not fit'}.`,
    {
      details: { parameter: name },
    },
  );
}

function numberOf(given: string): number | string {
  return /^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : given;
}

function readBody(route: Route, body: JsonValue | undefined): JsonObject {
  const { body: schema = {}, id } = route;
  const checked = checkerOf(schema, `The body of ${id}`).check(body ?? {});
  if (checked.ok && isJsonObject(checked.value)) return checked.value;
  const issues = checked.ok ? [] : checked.issues;
  const told = issues.slice(0, 5).map(({ path, message }) => `${path === '' ? 'the body' : path} ${message}`);
  throw new AxleError('request-invalid', `The body of ${id} does not fit: ${told.join('; ')}.`, {
    details: { issues: issues.slice(0, 5) },
  });
}

/** What a name of a request may be: visible characters, so that it can stand in a header and in a log. */
const keyPattern = /^[\x21-\x7e]{1,255}$/;

function readKey({ needs, method }: Route, { headers }: Request): string | undefined {
  const given = headers.get('idempotency-key');
  if (given === null && needs === 'idempotency-key') {
    throw new AxleError('idempotency-key-missing', 'A request that starts work needs the header Idempotency-Key.');
  }
  if (given === null || method === 'GET') return undefined;
  // The draft makes it a quoted string; most send it bare.
  const key = /^"([^"]*)"$/.exec(given)?.[1] ?? given;
  if (keyPattern.test(key)) return key;
  throw new AxleError('request-invalid', 'An Idempotency-Key has 1 to 255 visible characters.');
}

function readIfMatch({ headers }: Request): string {
  const given = headers.get('if-match');
  const etag = /^(?:W\/)?"([^"]+)"$/.exec(given ?? '')?.[1] ?? (given === '*' ? undefined : given);
  if (etag !== undefined && etag !== null && etag !== '') return etag;
  throw new AxleError('precondition-missing', 'An answer needs the etag of its question in the header If-Match.');
}

const checkers = new WeakMap<JsonObject, CheckedSchema>();

/** Compiled when first used: routes are many, and each process uses a few. */
function checkerOf(schema: JsonObject, owner: string): CheckedSchema {
  const known = checkers.get(schema);
  if (known !== undefined) return known;
  const made = toCheckedSchema(schema, 'input', owner);
  checkers.set(schema, made);
  return made;
}
