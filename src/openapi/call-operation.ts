/** A call of an operation: the request that its arguments make, sent once, and what comes of its response. */
import type { ToolContext } from '../contract/contract.ts';
import { type FromAlias, isFromAlias } from '../contract/program.ts';
import type { HttpClient } from '../http-client/http-client.ts';
import type { Credential } from '../http-client/secret.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';
import type { ApiDocument } from './document.ts';
import { type Operation, readMethods } from './operation.ts';
import { nextArguments } from './pagination.ts';
import { headerText, pathText, queryText } from './parameter-style.ts';
import type { Parameter, ParameterPlace } from './parameters.ts';
import { encodeBody, type RequestBody } from './request-body.ts';
import { responseFailure } from './response-failure.ts';
import { type OperationOutput, readBody } from './response-value.ts';
import { filledPath, serverUrl } from './server-url.ts';

/** What all operations of a document share. */
export interface Api {
  /** Of the source. */
  readonly name: string;
  readonly document: ApiDocument;
  readonly client: HttpClient;
  /** Without a slash at its end; or what stands for it. */
  readonly server: string | FromAlias;
  /** Headers that every request is sent with. */
  readonly headers: Readonly<Record<string, string>>;
  /** The folder for files of requests and responses, where there is one. */
  readonly folder: string | undefined;
  /** The header for idempotency keys of operations that declare none. */
  readonly idempotencyHeader: string | undefined;
}

export interface CallableOperation {
  readonly operation: Operation;
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly idempotencyHeader: string | undefined;
  readonly credentials: readonly Credential[];
}

/** @throws ToolError */
export async function callOperation(
  api: Api,
  callable: CallableOperation,
  { input, context }: { readonly input: JsonObject; readonly context: ToolContext },
): Promise<OperationOutput> {
  const { operation, body, credentials, name } = callable;
  const bodyValue = input['body'];
  const encoded =
    body === undefined || bodyValue === undefined
      ? undefined
      : await encodeBody(body, bodyValue, { document: api.document, folder: api.folder });
  const server = isFromAlias(api.server)
    ? serverUrl(api.document, await context.real(api.server.alias), true)
    : api.server;
  const response = await api.client.request({
    method: operation.method,
    url: urlOf(server, callable, input),
    headers: {
      accept: 'application/json, text/*;q=0.9, */*;q=0.8',
      ...headersOf(callable, input),
      ...lowerCased(api.headers),
      ...idempotencyOf(api, callable, context),
      ...(encoded === undefined ? {} : { 'content-type': encoded.contentType }),
    },
    ...(encoded === undefined ? {} : { body: encoded.bytes }),
    credentials,
    signal: context.signal,
  });
  const redact = (text: string): string => context.conceal(api.client.redact(text));
  const value = await readBody(response, { redact, folder: api.folder });
  const { status, retryAfterMs } = response;
  if (status >= 300) {
    const waits = retryAfterMs === undefined ? {} : { retryAfterMs };
    throw responseFailure({ status, body: value, upstream: api.name, ...waits }, name);
  }
  const next = nextArguments({ link: response.headers.get('link'), body: value }, callable.parameters, input);
  return { status, body: value, ...(next === undefined ? {} : { next: { arguments: next } }) };
}

function urlOf(server: string, { operation, parameters }: CallableOperation, input: JsonObject): string {
  const path = filledPath(operation.path, (name) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const value = parameter === undefined ? undefined : input[parameter.key];
    if (parameter === undefined || value === undefined || value === null) return undefined;
    return parameter.isJson ? encodeURIComponent(JSON.stringify(value)) : pathText(parameter, value);
  });
  const query = given(parameters, 'query', input)
    .map(([parameter, value]) => queryText(parameter, value))
    .filter((text) => text !== '')
    .join('&');
  const joint = path.includes('?') ? '&' : '?';
  return `${server}${path}${query === '' ? '' : `${joint}${query}`}`;
}

function headersOf({ parameters }: CallableOperation, input: JsonObject): Readonly<Record<string, string>> {
  const headers = given(parameters, 'header', input).map(
    ([parameter, value]) => [parameter.name.toLowerCase(), headerText(parameter, value)] as const,
  );
  const cookies = given(parameters, 'cookie', input).map(([parameter, value]) =>
    queryText(parameter, value).replaceAll('&', '; '),
  );
  return {
    ...Object.fromEntries(headers),
    ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
  };
}

/** The arguments for one place that are there, with those that are written as JSON in that form. */
function given(
  parameters: readonly Parameter[],
  place: ParameterPlace,
  input: JsonObject,
): ReadonlyArray<readonly [Parameter, JsonValue]> {
  return parameters.flatMap((parameter) => {
    const value = parameter.in === place ? input[parameter.key] : undefined;
    if (value === undefined || value === null) return [];
    return [[parameter, parameter.isJson ? JSON.stringify(value) : value] as const];
  });
}

/** The key goes to whatever changes something: it is the same over all attempts of a call. */
function idempotencyOf(
  api: Api,
  { operation, idempotencyHeader }: CallableOperation,
  context: ToolContext,
): Readonly<Record<string, string>> {
  const header = idempotencyHeader ?? (readMethods.has(operation.method) ? undefined : api.idempotencyHeader);
  return header === undefined ? {} : { [header.toLowerCase()]: context.idempotencyKey };
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
