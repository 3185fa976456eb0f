/**
 * The HTTP client of tools: one request to a place that may be dialled, within limits, and what is known of it when it fails.
 *
 * H1 Every hop is checked anew (address, port, protocol), and dials exactly an address that was checked. (G1)
 * H2 Nothing is repeated here: a redirect is the same request going on, a failure is the caller's to judge. (M1)
 * H3 Every wait and every body has a limit; an abort ends all of it. (L13)
 * H4 Every failure is a `ToolError`; its evidence is `none` only when nothing was sent by this hop and none before it. (R13)
 */
import { lookup } from 'node:dns/promises';
import process from 'node:process';
import type { ToolError } from '../contract/tool-error.ts';
import type { Clock, Timers } from '../util/clock.ts';
import { systemClock, systemTimers } from '../util/system-clock.ts';
import { destinationOf, readUrl, type Resolve } from './destination.ts';
import { dial } from './dial.ts';
import { exchange } from './exchange.ts';
import { type Grants, readGrants } from './grants.ts';
import { type HttpFault, HttpFaultError, toolErrorOf } from './http-fault.ts';
import { type HttpLimits, readHttpLimits } from './http-limits.ts';
import { type HttpResponse, responseOf } from './http-response.ts';
import { type Lifetime, startLifetime, timedOut } from './lifetime.ts';
import { type Hop, nextHop } from './redirect.ts';
import { checkedHeaders, readHeaders, readMethod } from './request-head.ts';
import { drop } from './response-body.ts';
import { type Credential, SecretKeeper, type Secrets } from './secret.ts';

export interface HttpClientOptions {
  /**
   * What may be dialled beyond public addresses at ports 80 and 443: `'10.0.0.0/8'`, `'127.0.0.1:8080'`, `'billing.internal'`, `'api.example.com:8443'`.
   * @defaultValue nothing
   */
  readonly allow?: readonly string[];
  /** Where the values of secrets are. @defaultValue the environment variable of the name */
  readonly secrets?: Secrets;
  readonly limits?: Partial<HttpLimits>;
  /** Certificates (PEM) that are trusted instead of the usual ones. */
  readonly ca?: string | readonly string[];
  /** Gives the addresses of a name. @defaultValue the system's resolver */
  readonly resolve?: Resolve;
  readonly clock?: Clock;
  readonly timers?: Timers;
}

export interface HttpRequest {
  /** An absolute http or https URL. */
  readonly url: string;
  /** @defaultValue 'GET' */
  readonly method?: string;
  /** Names in any case. Those that belong to the connection (`Host`, `Content-Length`, …) are refused. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as UTF-8. */
  readonly body?: string | Uint8Array;
  /** Resolved when the request is dialled, and sent to the origin of `url` alone. */
  readonly credentials?: readonly Credential[];
  readonly signal?: AbortSignal;
  /** Where they differ from the client's. */
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpClient {
  /**
   * Sends a request and gives its response, whatever its status. The body must be read or closed.
   * @throws ToolError `url-refused`, `redirect-refused`, `secret-unusable`, `upstream-unavailable`, `response-unreadable`, `tool-timed-out`, `limit-exceeded`,
   *   `aborted`, `configuration-invalid`; AxleError `configuration-invalid` for limits out of range
   */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** The text with every secret that this client has sent replaced by its name. */
  redact(text: string): string;
}

/** @throws AxleError `configuration-invalid` */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const setting: Setting = {
    grants: readGrants(options.allow ?? []),
    keeper: new SecretKeeper(options.secrets ?? ((name) => process.env[name])),
    resolve: options.resolve ?? systemResolve,
    clock: options.clock ?? systemClock,
    timers: options.timers ?? systemTimers,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  };
  const limits = readHttpLimits(options.limits ?? {});
  const redact = (text: string): string => setting.keeper.redact(text);
  return {
    redact,
    request: async (request) => {
      const lifetimeLimits = readHttpLimits(request.limits ?? {}, limits);
      const lifetime = startLifetime(setting.timers, lifetimeLimits.totalTimeoutMs, request.signal);
      const progress: Progress = { label: labelOf(request), hasSent: false, isBefore: true };
      try {
        return await follow(request, { ...setting, limits: lifetimeLimits, lifetime, progress });
      } catch (error) {
        lifetime.end(new Error('the request has failed'));
        throw failureOf(error, progress, redact);
      }
    },
  };
}

const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address);

interface Setting {
  readonly grants: Grants;
  readonly keeper: SecretKeeper;
  readonly resolve: Resolve;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ca?: string | readonly string[];
}

/** How far a request has come, for the evidence of its failure. */
interface Progress {
  readonly label: string;
  /** True once a hop has been handed to a connection. */
  hasSent: boolean;
  /** True while nothing of the present hop can have been sent. */
  isBefore: boolean;
}

interface Journey extends Setting {
  readonly limits: HttpLimits;
  readonly lifetime: Lifetime;
  readonly progress: Progress;
}

async function follow(request: HttpRequest, journey: Journey): Promise<HttpResponse> {
  const { limits } = journey;
  let hop: Hop = firstHop(request, limits);
  for (let count = 0; ; count += 1) {
    const message = await oneHop(hop, request.credentials ?? [], journey);
    const next =
      limits.maxRedirects === 0 ? undefined : nextHop(hop, message.statusCode ?? 0, message.headers.location);
    if (next === undefined) {
      const { lifetime, keeper, clock, progress } = journey;
      return responseOf(message, {
        method: hop.method,
        url: hop.url,
        nowMs: clock.nowMs(),
        limits,
        lifetime,
        redact: (text) => keeper.redact(text),
        fail: (error) => failureOf(error, progress, (text) => keeper.redact(text)),
      });
    }
    drop(message);
    if (count === limits.maxRedirects) throw tooManyRedirects(limits);
    hop = next;
  }
}

function firstHop(request: HttpRequest, limits: HttpLimits): Hop {
  const { body } = request;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes !== undefined && bytes.byteLength > limits.maxRequestBytes) {
    throw new HttpFaultError({
      code: 'limit-exceeded',
      class: 'recoverable',
      effect: 'none',
      what: `the request is ${bytes.byteLength} bytes; at most ${limits.maxRequestBytes} are sent.`,
    });
  }
  return {
    method: readMethod(request.method ?? 'GET'),
    url: readUrl(request.url),
    headers: readHeaders(request.headers ?? {}),
    body: bytes,
    isTrusted: true,
  };
}

async function oneHop(
  hop: Hop,
  credentials: readonly Credential[],
  { grants, resolve, timers, keeper, limits, lifetime, progress, ca }: Journey,
): ReturnType<typeof exchange> {
  progress.isBefore = true;
  const { connectTimeoutMs: timeoutMs } = limits;
  const fault = timedOut(`no connection within ${timeoutMs} ms`);
  const destination = await lifetime.within(destinationOf(hop.url, grants, resolve), { timeoutMs, fault });
  const resolved = await lifetime.within(keeper.resolve(hop.isTrusted ? credentials : []), {
    timeoutMs,
    fault: timedOut(`no secret within ${timeoutMs} ms`),
  });
  const headers = checkedHeaders(resolved.headers);
  const { signal } = lifetime;
  const socket = await dial(destination, { timers, timeoutMs, signal, ...(ca === undefined ? {} : { ca }) });
  progress.isBefore = false;
  progress.hasSent = true;
  return exchange(hop, { socket, lifetime, limits, headers, query: resolved.query });
}

function failureOf(error: unknown, progress: Progress, redact: (text: string) => string): ToolError {
  const fault = faultOf(error);
  return toolErrorOf({ ...fault, ...evidenceOf(fault, progress) }, progress.label, redact);
}

function faultOf(error: unknown): HttpFault {
  if (error instanceof HttpFaultError) return error.fault;
  return { code: 'internal', class: 'fatal', effect: 'unknown', what: 'an error of the client itself.', cause: error };
}

function evidenceOf(fault: HttpFault, { hasSent, isBefore }: Progress): Pick<HttpFault, 'effect'> {
  // An earlier hop was sent, and answered with a redirect: that much may have happened.
  if (hasSent && (isBefore || fault.effect === 'none')) return { effect: 'possible' };
  return { effect: isBefore ? 'none' : fault.effect };
}

/** Method and URL without its query, where secrets may stand. */
function labelOf({ method = 'GET', url }: HttpRequest): string {
  const place = /^[^?#]*/.exec(url)?.[0] ?? '';
  return `${method.toUpperCase()} ${place.replace(/\/\/[^/@]*@/, '//').slice(0, 300)}`;
}

function tooManyRedirects({ maxRedirects }: HttpLimits): HttpFaultError {
  return new HttpFaultError({
    code: 'redirect-refused',
    class: 'fatal',
    effect: 'possible',
    what: `it was redirected more than ${maxRedirects} times.`,
  });
}
