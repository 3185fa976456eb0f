/**
 * Where a redirect leads, and what goes along.
 *
 * R1 To another origin go the method and a few headers that say nothing about who asks; never a credential.
 * R2 A request that changes something is never turned into a read that answers in its place: only 303, which says that the answer stands elsewhere, becomes a GET.
 * R3 A body goes along (307, 308) within its own origin only.
 * R4 From https there is no way back to http.
 */
import { readUrl } from './destination.ts';
import { HttpFaultError } from './http-fault.ts';

/** What of a request is kept from hop to hop. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: Uint8Array | undefined;
  /** False from the first hop to another origin on. */
  readonly isTrusted: boolean;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that go along to another origin. */
const plainHeaders: ReadonlySet<string> = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/** The next hop, or undefined when the response is no redirect. @throws HttpFaultError `redirect-refused`, `url-refused` */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (!redirects.has(status) || location === undefined) return undefined;
  if (!URL.canParse(location, hop.url.href)) throw refused(`a redirect (${status}) to something that is no URL`);
  const url = readUrl(new URL(location, hop.url).href);
  const isSame = url.origin === hop.url.origin;
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw refused(`a redirect (${status}) from https to http, to ${url.host}`);
  }
  const isRead = hop.method === 'GET' || hop.method === 'HEAD';
  if (!isRead && (status === 301 || status === 302)) {
    throw refused(`a redirect (${status}) to ${url.host}; ${hop.method} is not turned into a GET. Use the new URL`);
  }
  const becomesGet = status === 303 && !isRead;
  if (!isSame && hop.body !== undefined && !becomesGet) {
    throw refused(`a redirect (${status}) of a request with a body to another origin, ${url.host}`);
  }
  return {
    method: becomesGet ? 'GET' : hop.method,
    url,
    headers: hop.headers.filter(
      ([name]) => (isSame || plainHeaders.has(name)) && !(becomesGet && name.startsWith('content-')),
    ),
    body: becomesGet ? undefined : hop.body,
    isTrusted: hop.isTrusted && isSame,
  };
}

function refused(what: string): HttpFaultError {
  return new HttpFaultError({
    code: 'redirect-refused',
    class: 'fatal',
    effect: 'possible',
    what: `the server answered with ${what}.`,
  });
}
