/** A response, whatever its status: head, and a body that is read once. */
import type { IncomingMessage } from 'node:http';
import { HttpFaultError } from './http-fault.ts';
import type { HttpLimits } from './http-limits.ts';
import type { Lifetime } from './lifetime.ts';
import { bodyPieces, drop } from './response-body.ts';
import { retryAfterMs } from '../util/retry-after.ts';

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; values of one name joined by commas, secrets replaced. `set-cookie` is left out: nothing here keeps cookies. */
  readonly headers: ReadonlyMap<string, string>;
  /** Where the last redirect led, secrets replaced. */
  readonly url: string;
  /** How long the server asks to wait, in milliseconds, 0 included. */
  readonly retryAfterMs?: number;
  /**
   * The body as it comes, decompressed. Read once; leaving the loop drops the connection. Secrets that a server echoes stand in it: see `text`.
   * The iteration throws a ToolError `limit-exceeded`, `tool-timed-out`, `upstream-unavailable`, `response-unreadable` or `aborted`.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body. @throws ToolError as `body` does */
  bytes(): Promise<Uint8Array>;
  /** The whole body as UTF-8, secrets that this client has sent replaced by their names. @throws ToolError as `body` does */
  text(): Promise<string>;
  /** Drops the connection; for whoever does not want the body. */
  close(): void;
}

export interface ResponseSetting {
  readonly method: string;
  readonly url: URL;
  readonly nowMs: number;
  readonly limits: HttpLimits;
  readonly lifetime: Lifetime;
  readonly redact: (text: string) => string;
  /** Makes the error that is thrown of what went wrong. */
  readonly fail: (error: unknown) => Error;
}

const closed = new HttpFaultError({
  code: 'aborted',
  class: 'recoverable',
  effect: 'possible',
  what: 'the response was closed.',
});

export function responseOf(message: IncomingMessage, setting: ResponseSetting): HttpResponse {
  const { redact, lifetime } = setting;
  lifetime.signal.addEventListener('abort', () => drop(message), { once: true });
  if (lifetime.signal.aborted) drop(message);
  const status = message.statusCode ?? 0;
  const headers = headersOf(message, redact);
  const isEmpty = setting.method === 'HEAD' || status === 204 || status === 304;
  const pieces = bodyPieces(message, { isEmpty, lifetime, limits: setting.limits });
  const body = guarded(pieces, setting.fail);
  const bytes = async (): Promise<Uint8Array> => {
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    return Buffer.concat(parts);
  };
  const waitMs = retryAfterMs(headers, setting.nowMs);
  return {
    status,
    headers,
    url: redact(setting.url.href),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    body,
    bytes,
    text: async () => redact(new TextDecoder().decode(await bytes())),
    close: () => lifetime.end(closed),
  };
}

async function* guarded(
  pieces: AsyncIterable<Uint8Array>,
  fail: (error: unknown) => Error,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* pieces;
  } catch (error) {
    throw fail(error);
  }
}

function headersOf(message: IncomingMessage, redact: (text: string) => string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    if (name !== 'set-cookie' && values !== undefined) headers.set(name, redact(values.join(', ')));
  }
  return headers;
}
