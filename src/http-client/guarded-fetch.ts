/** `fetch` over the guarded client, for libraries that take one: the same checks, limits and errors; no cookies, no cache, no CORS. */
import type { HttpClient } from './http-client.ts';
import type { HttpResponse } from './http-response.ts';
import type { HttpLimits } from './http-limits.ts';
import { isReservedHeader } from './request-head.ts';
import type { Credential } from './secret.ts';

export interface GuardedFetchOptions {
  /** Sent with every request to `origin`, and with none to another. */
  readonly credentials?: readonly Credential[];
  /** The origin that the credentials are for, such as `https://api.example.com`. */
  readonly origin?: string;
  readonly limits?: Partial<HttpLimits>;
}

/**
 * A function in the form of `fetch`. Its body streams; failures are `ToolError`s and not `TypeError`s.
 * `redirect: 'manual'` gives a redirect as it is, and so does `'error'`.
 */
export function guardedFetch(client: HttpClient, options: GuardedFetchOptions = {}): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const headers = [...request.headers].filter(([name]) => !isReservedHeader(name));
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const isTrusted = options.origin !== undefined && new URL(request.url).origin === new URL(options.origin).origin;
    const response = await client.request({
      url: request.url,
      method: request.method,
      headers: Object.fromEntries(headers),
      ...(body === undefined ? {} : { body }),
      ...(isTrusted ? { credentials: options.credentials ?? [] } : {}),
      signal: request.signal,
      limits: { ...options.limits, ...(request.redirect === 'follow' ? {} : { maxRedirects: 0 }) },
    });
    const hasBody = response.status !== 204 && response.status !== 205 && response.status !== 304;
    if (!hasBody || request.method === 'HEAD') response.close();
    return new Response(hasBody && request.method !== 'HEAD' ? streamOf(response) : null, {
      status: response.status,
      headers: [...response.headers].filter(([name]) => name !== 'content-encoding' && name !== 'content-length'),
    });
  };
}

/** Cancelling drops the connection also before the first read, when the iteration of the body has not begun. */
function streamOf(response: HttpResponse): ReadableStream<Uint8Array> {
  const pieces = response.body[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = await pieces.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => response.close(),
    },
    { highWaterMark: 0 },
  );
}
