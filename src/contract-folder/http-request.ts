/**
 * The HTTP request of a declared tool: what a file says of it, and what becomes of it with the arguments of a call.
 *
 * R1 Arguments stand in the path, the query, headers and the body; never in the protocol, the host or the port of the URL.
 * R2 An argument in the path is one piece of one segment: it is encoded, and `.` and `..` are refused.
 */
import type { HttpRequest } from '../http-client/http-client.ts';
import type { HttpResponse } from '../http-client/http-response.ts';
import type { Credential } from '../http-client/secret.ts';
import { ToolError } from '../contract/tool-error.ts';
import { valueAt } from '../contract/pointer.ts';
import { isPointer } from '../call/selector.ts';
import { AxleError } from '../error/axle-error.ts';
import { responseFailure } from '../openapi/response-failure.ts';
import { redacted } from '../openapi/response-value.ts';
import { defined } from '../util/defined.ts';
import { isRecord, jsonObjectIn, type JsonValue, toJson } from '../util/json.ts';
import { argumentsIn, fillJson, type Filling, fillText, partsOf, type TextPart, valueOf } from './template.ts';

type Texts = Readonly<Record<string, string>>;

/** A request as a file declares it. */
export interface DeclaredRequest {
  readonly method: string;
  readonly origin: string;
  readonly path: readonly TextPart[];
  readonly query: Texts;
  readonly headers: Texts;
  readonly body: JsonValue | undefined;
  readonly credentials: readonly Credential[];
  /** The place in the response that is the result. */
  readonly result: string;
  /** The arguments that it uses. */
  readonly uses: ReadonlySet<string>;
}

const knownFields = ['method', 'url', 'query', 'headers', 'body', 'credentials', 'result'];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** @throws AxleError `contract-file-invalid`, with the field in `details.field` */
export function readRequest(said: unknown): DeclaredRequest {
  if (!isRecord(said)) throw invalid('http', 'must be an object with method and url');
  for (const field of Object.keys(said)) {
    if (!knownFields.includes(field)) {
      throw invalid(field, `is no field of http, whose fields are ${knownFields.join(', ')}`);
    }
  }
  const method = typeof said['method'] === 'string' ? said['method'].toUpperCase() : 'GET';
  if (!methods.includes(method)) throw invalid('method', `must be one of ${methods.join(', ')}`);
  const { origin, path } = readUrl(said['url']);
  const [query, headers] = [readTexts(said['query'], 'query'), readTexts(said['headers'], 'headers')];
  const body = said['body'] === undefined ? undefined : toJson(said['body']);
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw invalid('body', `is not sent with ${method}`);
  }
  const result = said['result'] ?? '';
  if (typeof result !== 'string' || !isPointer(result)) {
    throw invalid('result', "must be a JSON Pointer such as '/data'");
  }
  const credentials = readCredentials(said['credentials']);
  const inPath = path.flatMap((part) =>
    part.kind === 'value' && !part.at.startsWith('$') ? [part.at.split('/')[0] ?? ''] : [],
  );
  const uses = new Set([...inPath, ...argumentsIn(query), ...argumentsIn(headers), ...argumentsIn(body ?? null)]);
  return { method, origin, path, query, headers, body, credentials, result, uses };
}

function readUrl(said: unknown): { readonly origin: string; readonly path: readonly TextPart[] } {
  const wanted = 'must be an absolute http or https URL; arguments may stand in its path';
  if (typeof said !== 'string') throw invalid('url', wanted);
  const found = /^(https?:\/\/[^/?#{}\s@]+)(\/[^?#\s]*)?$/u.exec(said);
  if (found === null) throw invalid('url', `${wanted}, and what would follow ? is declared as query`);
  try {
    return { origin: new URL(found[1] ?? '').origin, path: partsOf(found[2] ?? '/') };
  } catch (error) {
    if (error instanceof AxleError) throw error;
    throw invalid('url', wanted);
  }
}

function readTexts(said: unknown, field: string): Texts {
  if (said === undefined) return {};
  if (!isRecord(said)) throw invalid(field, 'must be an object from names to texts');
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(said)) {
    if (typeof text !== 'string') throw invalid(name, `in ${field} must be a text`);
    texts[name] = text;
  }
  return texts;
}

function readCredentials(said: unknown): readonly Credential[] {
  if (said === undefined) return [];
  if (!Array.isArray(said)) throw invalid('credentials', 'must be a list');
  return said.map((one: unknown) => {
    if (isCredential(one)) return one;
    throw invalid(
      'credentials',
      'must hold objects such as { "kind": "bearer", "token": { "secret": "BILLING_KEY" } }',
    );
  });
}

function isCredential(value: unknown): value is Credential {
  if (!isRecord(value)) return false;
  switch (value['kind']) {
    case 'bearer':
      return isSecret(value['token']);
    case 'basic':
      return isSecret(value['password']) && (typeof value['username'] === 'string' || isSecret(value['username']));
    case 'header':
    case 'query':
    case 'cookie':
      return typeof value['name'] === 'string' && isSecret(value['value']);
    default:
      return false;
  }
}

function isSecret(value: unknown): boolean {
  return isRecord(value) && typeof value['secret'] === 'string';
}

/** The request of one call. @throws AxleError `arguments-invalid` */
export function requestOf(declared: DeclaredRequest, filling: Filling): HttpRequest {
  const { method, origin, credentials } = declared;
  const search = queryText(declared.query, filling);
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(declared.headers)) {
    const value = fillText(partsOf(template), filling, (text) => text);
    if (value !== undefined) headers[name] = value;
  }
  const body = declared.body === undefined ? undefined : (fillJson(declared.body, filling) ?? null);
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  return {
    method,
    url: `${origin}${pathText(declared.path, filling)}${search}`,
    headers,
    credentials,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

function pathText(parts: readonly TextPart[], filling: Filling): string {
  const path = fillText(parts, filling, segmentPiece);
  if (path === undefined) throw unfit('An argument of the path is missing.');
  // Pieces that are harmless one by one may come to a way upwards.
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/iu.test(segment))) {
    throw unfit('The arguments lead out of the path.');
  }
  return path;
}

function segmentPiece(text: string): string {
  if (text === '') throw unfit('An argument of the path is empty.');
  return encodeURIComponent(text);
}

function queryText(query: Texts, filling: Filling): string {
  const search = new URLSearchParams();
  for (const [name, template] of Object.entries(query)) {
    const parts = partsOf(template);
    const [only] = parts;
    const value = only?.kind === 'value' && parts.length === 1 ? valueOf(only.at, filling) : undefined;
    // A list is sent as a parameter that is repeated.
    if (Array.isArray(value)) {
      for (const item of value) search.append(name, typeof item === 'string' ? item : JSON.stringify(item));
    } else {
      const text = fillText(parts, filling, (each) => each);
      if (text !== undefined) search.append(name, text);
    }
  }
  return search.size === 0 ? '' : `?${search.toString()}`;
}

/**
 * The result of a response. `redact` takes secrets out of what was read: in JSON they may stand with escapes.
 * @throws ToolError for one that is no success, or cannot be read
 */
export async function resultOf(
  response: HttpResponse,
  { result }: DeclaredRequest,
  redact: (text: string) => string,
): Promise<JsonValue> {
  const text = await response.text();
  const { status, retryAfterMs } = response;
  if (status < 200 || status >= 300) {
    const body = redacted(jsonObjectIn(text) ?? text, redact);
    throw responseFailure({ status, body, ...defined({ retryAfterMs }) }, 'The service');
  }
  const isJson = /\bjson\b/u.test(response.headers.get('content-type') ?? '');
  const value = isJson ? parsed(text, redact) : text;
  const found = valueAt(value, result);
  if (found !== undefined) return found;
  throw new ToolError({
    code: 'output-invalid',
    message: `The service answered without ${result}, which is the result.`,
  });
}

function parsed(text: string, redact: (text: string) => string): JsonValue {
  if (text === '') return null;
  try {
    return toJson(redacted(JSON.parse(text), redact));
  } catch (cause) {
    throw new ToolError({
      code: 'output-invalid',
      message: 'The service says that it answers JSON, and does not.',
      cause,
    });
  }
}

function invalid(field: string, what: string): AxleError {
  return new AxleError('contract-file-invalid', `${field} ${what}.`, { details: { field } });
}

function unfit(message: string): ToolError {
  return new ToolError({
    code: 'arguments-invalid',
    class: 'recoverable',
    effect: 'none',
    message: `${message} Nothing was sent.`,
  });
}
