/**
 * From a URL to the addresses that may be dialled for it.
 *
 * G1 A name is resolved once; what is dialled is one of the addresses that were checked, and no other resolution takes place. (DNS rebinding)
 * G2 The URL is read by the standard's own parser first, so that every spelling of an address (`0x7f.1`, `2130706433`, `①②⑦.0.0.1`) is checked as that address.
 * G3 Only http and https; no user name or password in a URL.
 */
import { isIP } from 'node:net';
import { canonicalAddress } from './address-kind.ts';
import { type Grants, withoutRootDot } from './grants.ts';
import { codeOf, HttpFaultError } from './http-fault.ts';

/** Gives all addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** What is dialled. */
export interface Destination {
  readonly hostname: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** Checked, in the order of the resolver, at most four. */
  readonly addresses: readonly string[];
}

/** More addresses than these are not tried. */
const maxAddresses = 4;
const maxUrlLength = 65_536;

/** @throws HttpFaultError `url-refused` */
export function readUrl(text: string): URL {
  if (text.length > maxUrlLength) throw refused(`the URL is longer than ${maxUrlLength} characters`);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refused('this is no absolute URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`${url.protocol.slice(0, 20)} is neither http: nor https:`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('a URL must carry no user name and no password; they are given as a credential');
  }
  return url;
}

/**
 * Resolves and checks.
 * @throws HttpFaultError `url-refused` when nothing may be dialled, `upstream-unavailable` when the name has no address
 */
export async function destinationOf(url: URL, grants: Grants, resolve: Resolve): Promise<Destination> {
  const isSecure = url.protocol === 'https:';
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  const hostname = withoutRootDot(url.hostname.replace(/^\[|\]$/g, ''));
  if (hostname === '') throw refused('the URL names no host');
  const found = isIP(hostname) === 0 ? await resolved(hostname, resolve) : [hostname];
  const addresses = found.map(canonicalAddress).filter((address) => address !== undefined);
  const permitted = addresses.filter((address) => grants.permits({ hostname, port, address }));
  if (permitted.length === 0) {
    const place = isIP(hostname) === 0 ? `${hostname} (${addresses.slice(0, maxAddresses).join(', ')})` : hostname;
    throw refused(`${place}, port ${port}, may not be dialled`);
  }
  return { hostname, port, isSecure, addresses: permitted.slice(0, maxAddresses) };
}

async function resolved(hostname: string, resolve: Resolve): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(hostname);
  } catch (cause) {
    throw new HttpFaultError({
      code: 'upstream-unavailable',
      class: 'retryable',
      effect: 'none',
      what: `the name ${hostname} cannot be resolved (${codeOf(cause) ?? 'no code'})`,
      cause,
    });
  }
  if (addresses.length > 0) return addresses;
  throw new HttpFaultError({
    code: 'upstream-unavailable',
    class: 'retryable',
    effect: 'none',
    what: `the name ${hostname} has no address`,
  });
}

function refused(what: string): HttpFaultError {
  return new HttpFaultError({ code: 'url-refused', class: 'recoverable', effect: 'none', what: `${what}.` });
}
