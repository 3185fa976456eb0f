/**
 * The body of a response as data.
 *
 * J1 A whole number beyond 2^53 becomes its digits as text: a rounded identifier would be another one.
 * J2 No secret that was sent stands in a text of it. (L12)
 */
import type { HttpResponse } from '../http-client/http-response.ts';
import { ToolError } from '../contract/tool-error.ts';
import { isRecord, type JsonObject } from '../util/json.ts';
import { keepBinary } from './binary-value.ts';

export interface ReadSetting {
  readonly redact: (text: string) => string;
  readonly folder: string | undefined;
}

/** JSON as it is, other text as text, bytes as what they are (see `keepBinary`); null for no body. */
export async function readBody(response: HttpResponse, { redact, folder }: ReadSetting): Promise<unknown> {
  const contentType = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const bytes = await response.bytes();
  if (bytes.byteLength === 0) return null;
  const isJson = /^(?:application\/json|[^/]+\/[^/]+\+json)$/.test(contentType);
  const isText =
    contentType === '' ||
    /^text\/|[/+](?:xml|yaml|x-yaml)$|^application\/(?:javascript|x-ndjson|x-www-form-urlencoded)$/.test(contentType);
  if (!isJson && !isText) return keepBinary(bytes, contentType, response.status < 300 ? folder : undefined);
  const text = decode(bytes, response.headers.get('content-type') ?? '');
  if (!isJson) return redact(text);
  try {
    return redacted(parseExactly(text), redact);
  } catch {
    // A failure is told in its own words, and these are better than none.
    if (response.status >= 300) return redact(text);
    throw new ToolError({
      code: 'response-unreadable',
      class: 'recoverable',
      effect: 'possible',
      message: 'The response says that it is JSON, and is not.',
    });
  }
}

/** In the charset that the response names, UTF-8 where it names none or one that nobody knows. */
function decode(bytes: Uint8Array, contentType: string): string {
  const charset = /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? context?.source
      : value,
  );
}

/** Deeper data is refused where it is stored. */
const maxDepth = 200;

/** A value with its texts and keys redacted. */
export function redacted(value: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((each) => redacted(each, redact, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [redact(key), redacted(each, redact, depth + 1)]),
  );
}

/** What a call gives back. */
export interface OperationOutput {
  readonly status: number;
  readonly body: unknown;
  /** Where there is more: the arguments that give the next page, beside those of this call. */
  readonly next?: { readonly arguments: JsonObject };
}
