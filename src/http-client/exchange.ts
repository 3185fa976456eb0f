/** One request and the head of its response, over a socket that was dialled for it and is used for nothing else. */
import { type IncomingMessage, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { codeOf, HttpFaultError } from './http-fault.ts';
import type { HttpLimits } from './http-limits.ts';
import { type Lifetime, timedOut } from './lifetime.ts';
import type { Hop } from './redirect.ts';

export interface ExchangeOptions {
  readonly socket: Socket;
  readonly lifetime: Lifetime;
  readonly limits: HttpLimits;
  /** Credentials of this hop. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly query: ReadonlyArray<readonly [name: string, value: string]>;
}

/** @throws HttpFaultError with effect `unknown`: from here on something may have been sent. */
export async function exchange(hop: Hop, options: ExchangeOptions): Promise<IncomingMessage> {
  const { socket, lifetime, limits } = options;
  const { responseTimeoutMs } = limits;
  try {
    return await lifetime.within(headOf(hop, options), {
      timeoutMs: responseTimeoutMs,
      fault: timedOut(`no response within ${responseTimeoutMs} ms`),
    });
  } catch (error) {
    socket.destroy();
    if (error instanceof HttpFaultError) throw error;
    throw brokenOff(error, limits);
  }
}

function headOf(hop: Hop, { socket, limits, headers, query }: ExchangeOptions): Promise<IncomingMessage> {
  const { url } = hop;
  return new Promise((resolve, reject) => {
    const request = sendRequest({
      method: hop.method,
      path: `${url.pathname}${searchWith(url.search, query)}`,
      createConnection: () => socket,
      setHost: false,
      setDefaultHeaders: false,
      maxHeaderSize: limits.maxHeaderBytes,
      headers: Object.fromEntries([
        ['host', url.host],
        ...withCredentials(hop.headers, headers),
        ['accept-encoding', 'gzip, br'],
        ['connection', 'close'],
        ...lengthOf(hop),
      ]),
    });
    request.once('response', resolve);
    // Heard for as long as the request lives: a socket may fail again after the head has come.
    request.on('error', reject);
    request.once('upgrade', (_response, upgraded: Socket) => {
      upgraded.destroy();
      reject(new Error('the server switched to another protocol'));
    });
    request.end(hop.body);
  });
}

/** Written by hand: `URLSearchParams` would write the whole query anew, in its own spelling. */
function searchWith(search: string, query: ExchangeOptions['query']): string {
  const added = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  if (added === '') return search;
  return search === '' ? `?${added}` : `${search}&${added}`;
}

/** A credential takes the place of a header of its name; cookies stand beside each other. */
function withCredentials(
  plain: Hop['headers'],
  credentials: ExchangeOptions['headers'],
): ReadonlyArray<readonly [string, string]> {
  const merged = new Map(plain);
  for (const [name, value] of credentials) {
    const before = name === 'cookie' ? merged.get(name) : undefined;
    merged.set(name, before === undefined ? value : `${before}; ${value}`);
  }
  return [...merged];
}

function lengthOf(hop: Hop): ReadonlyArray<readonly [string, string]> {
  if (hop.body !== undefined) return [['content-length', String(hop.body.byteLength)]];
  return hop.method === 'GET' || hop.method === 'HEAD' ? [] : [['content-length', '0']];
}

function brokenOff(cause: unknown, limits: HttpLimits): HttpFaultError {
  const code = codeOf(cause);
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new HttpFaultError({
      code: 'limit-exceeded',
      class: 'recoverable',
      effect: 'possible',
      what: `the headers of the response are larger than ${limits.maxHeaderBytes} bytes.`,
      cause,
    });
  }
  const isUnreadable = code?.startsWith('HPE_') === true;
  return new HttpFaultError({
    code: isUnreadable ? 'response-unreadable' : 'upstream-unavailable',
    class: isUnreadable ? 'recoverable' : 'retryable',
    effect: 'unknown',
    what: isUnreadable
      ? `the response is not HTTP (${code}).`
      : `the connection broke off before the response came (${code ?? 'no code'}).`,
    cause,
  });
}
