/**
 * Who may talk to the server from where. A page on the web can make its visitor's browser send requests to 127.0.0.1, and can give its own name that address.
 *
 * G1 A request names a host that this server answers for. Without tokens that is the loopback alone, under the port it came to. (DNS rebinding)
 * G2 A request that a browser sent on behalf of a page comes from a page of this server; a page that says nothing about itself (`null`) is a foreign one.
 * G3 The one thing that a foreign page may do is to lead its visitor here: a plain navigation to the page, which shows no data by itself.
 * G4 No header of this server ever lets another origin read an answer, and nothing is done for a preflight.
 */
import { AxleError } from '../../error/axle-error.ts';

export interface GuardOptions {
  /** Names, with or without a port, under which the server is reached; `any` where every request needs a token anyway. */
  readonly hosts: 'loopback' | 'any' | readonly string[];
  /** The port that a loopback name has to carry; undefined for a handler inside of another server, which may stand anywhere. */
  readonly port: () => number | undefined;
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What is wrong with where a request comes from; undefined for nothing. `isPage` tells paths that show no data by themselves. */
export function refusalOf(
  request: Request,
  { hosts, port }: GuardOptions,
  isPage: (path: string) => boolean,
): AxleError | undefined {
  const url = new URL(request.url);
  const host = request.headers.get('host') ?? url.host;
  if (!isOwnHost(host, hosts, port())) {
    return new AxleError('request-refused', `This server does not answer under the host name ${JSON.stringify(host)}.`);
  }
  const origin = request.headers.get('origin');
  if (origin !== null && !isOwnOrigin(origin, host)) {
    return new AxleError('request-refused', `The page at ${JSON.stringify(origin)} is no page of this server.`);
  }
  const site = request.headers.get('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none') return undefined;
  if (origin === null && isNavigation(request) && isPage(url.pathname)) return undefined;
  return new AxleError('request-refused', `A page of another site sent this request (Sec-Fetch-Site: ${site}).`);
}

function isOwnHost(host: string, hosts: GuardOptions['hosts'], port: number | undefined): boolean {
  const parts = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/.exec(host.toLowerCase());
  if (parts === null) return false;
  const [, name = '', portText] = parts;
  if (loopbackNames.has(name) && (port === undefined || Number(portText ?? 80) === port)) return true;
  if (hosts === 'any') return true;
  return hosts !== 'loopback' && hosts.some((own) => own === name || own === host.toLowerCase());
}

function isOwnOrigin(origin: string, host: string): boolean {
  const own = host.toLowerCase();
  return origin === `http://${own}` || origin === `https://${own}`;
}

function isNavigation({ method, headers }: Request): boolean {
  return (
    method === 'GET' && headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  );
}

/** Headers of which a request has one at most: with two, what checks and what acts might read different ones. */
const single: ReadonlySet<string> = new Set([
  'authorization',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'if-match',
  'last-event-id',
  'origin',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'transfer-encoding',
]);

/** What is wrong with a request as it came over the wire, which a `Request` does not show any more. */
export function wireFault(target: string | undefined, rawHeaders: readonly string[]): AxleError | undefined {
  if (target === undefined || !/^\/(?!\/)[\x21-\x7e]*$/.test(target) || target.includes('\\')) {
    return new AxleError('request-invalid', 'The target of a request is a path, such as /v1/runs.');
  }
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (single.has(name) && seen.has(name)) {
      return new AxleError('request-invalid', `The header ${name} is there twice.`);
    }
    seen.add(name);
  }
  if (!seen.has('host')) return new AxleError('request-invalid', 'The header Host is missing.');
  return undefined;
}
