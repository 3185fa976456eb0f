/**
 * Where a list goes on, in the terms of the tool: arguments that the next call adds to the same ones.
 *
 * L1 Only parameters that the operation has are named; what cannot be said in them is not said.
 * L2 At most ten arguments of at most 2,000 characters: a hint is no way to hand a model a page of text.
 */
import { isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import type { Parameter } from './parameters.ts';

const maxArguments = 10;
const maxLength = 2_000;

/** Where services put the next cursor, and the parameters that take it. */
const cursors: ReadonlyArray<{ readonly path: readonly string[]; readonly parameters: readonly string[] }> = [
  { path: ['next_page_token'], parameters: ['page_token', 'next_page_token'] },
  { path: ['nextPageToken'], parameters: ['pageToken', 'nextPageToken'] },
  { path: ['next_cursor'], parameters: ['cursor', 'start_cursor', 'after', 'next_cursor'] },
  { path: ['nextCursor'], parameters: ['cursor', 'nextCursor'] },
  { path: ['response_metadata', 'next_cursor'], parameters: ['cursor'] },
  { path: ['metadata', 'continue'], parameters: ['continue'] },
  { path: ['meta', 'next_cursor'], parameters: ['cursor'] },
  { path: ['paging', 'next', 'after'], parameters: ['after'] },
  { path: ['pagination', 'next_cursor'], parameters: ['cursor'] },
  { path: ['continuation_token'], parameters: ['continuation_token'] },
  { path: ['NextToken'], parameters: ['NextToken'] },
  { path: ['nextToken'], parameters: ['nextToken'] },
];
/** Where services put the URL of the next page. */
const links: readonly (readonly string[])[] = [
  ['next'],
  ['links', 'next'],
  ['_links', 'next', 'href'],
  ['paging', 'next'],
  ['@odata.nextLink'],
];

/**
 * The arguments that differ from those of the call that was answered. Undefined where the response does not say that there is more, or not in a way that the
 * operation's parameters can take up.
 */
export function nextArguments(
  { link, body }: { readonly link: string | undefined; readonly body: unknown },
  parameters: readonly Parameter[],
  input: JsonObject,
): JsonObject | undefined {
  const queries = parameters.filter((parameter) => parameter.in === 'query');
  if (queries.length === 0) return undefined;
  const found =
    fromLink(nextLink(link), queries) ??
    fromCursor(body, queries) ??
    fromBodyLink(body, queries) ??
    fromLastItem(body, queries);
  const changed = Object.entries(found ?? {}).filter(([key, value]) => input[key] !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** True for operations whose description says how to go on. */
export function mayPaginate(parameters: readonly Parameter[]): boolean {
  const names = new Set([...cursors.flatMap((cursor) => cursor.parameters), 'page', 'offset', 'starting_after']);
  return parameters.some((parameter) => parameter.in === 'query' && names.has(parameter.name));
}

/** The URL of `rel="next"` of a Link header (RFC 8288). */
function nextLink(header: string | undefined): string | undefined {
  for (const [, url, attributes] of (header ?? '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i.test(attributes ?? '')) return url;
  }
  return undefined;
}

function fromLink(link: string | undefined, queries: readonly Parameter[]): JsonObject | undefined {
  if (link === undefined || link.length > 8_000) return undefined;
  let url: URL;
  try {
    url = new URL(link, 'http://relative.invalid');
  } catch {
    return undefined;
  }
  const found: Record<string, JsonValue> = {};
  for (const parameter of queries) {
    const values = url.searchParams.getAll(parameter.name);
    const [value] = values;
    if (values.length !== 1 || value === undefined || value.length > maxLength) continue;
    const declared = asDeclared(value, parameter);
    if (declared !== undefined && Object.keys(found).length < maxArguments) found[parameter.key] = declared;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

function fromCursor(body: unknown, queries: readonly Parameter[]): JsonObject | undefined {
  for (const { path, parameters } of cursors) {
    const value = valueAt(body, path);
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || text === '' || text.length > maxLength) continue;
    const parameter = parameters
      .map((name) => queries.find((each) => each.name === name))
      .find((each) => each !== undefined);
    const declared = parameter === undefined ? undefined : asDeclared(text, parameter);
    if (parameter !== undefined && declared !== undefined) return { [parameter.key]: declared };
  }
  return undefined;
}

function fromBodyLink(body: unknown, queries: readonly Parameter[]): JsonObject | undefined {
  const link = links.map((path) => valueAt(body, path)).find((each) => typeof each === 'string' && each.includes('?'));
  return typeof link === 'string' ? fromLink(link, queries) : undefined;
}

/** `has_more` and the id of the last item. */
function fromLastItem(body: unknown, queries: readonly Parameter[]): JsonObject | undefined {
  const parameter = queries.find((each) => each.name === 'starting_after');
  if (parameter === undefined || !isRecord(body) || body['has_more'] !== true || !Array.isArray(body['data'])) {
    return undefined;
  }
  const last: unknown = body['data'].at(-1);
  const id = isRecord(last) ? last['id'] : undefined;
  return typeof id === 'string' && id.length <= maxLength ? { [parameter.key]: id } : undefined;
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  let value = body;
  for (const part of path) value = isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value;
}

/** In the type of the parameter, so that the arguments fit as they are; undefined where a text cannot say it. */
function asDeclared(text: string, { schema }: Parameter): JsonValue | undefined {
  const type = isRecord(schema) ? schema['type'] : undefined;
  if (type === 'array' || type === 'object') return undefined;
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : undefined);
  const isNumber = type === 'integer' || type === 'number';
  return isNumber && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
