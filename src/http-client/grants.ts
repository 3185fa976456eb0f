/**
 * What may be dialled beyond the public internet on ports 80 and 443: what whoever writes the configuration names, and nothing else.
 *
 *   `10.0.0.0/8`  `127.0.0.1`  `127.0.0.1:8080`  `[::1]:8080`  `fd12::/16`  `billing.internal`  `billing.internal:8443`  `api.example.com:8443`
 *
 * P1 A grant without a port holds for every port; one with a port for that port alone.
 * P2 A grant of a name trusts that name's resolver with every address but those that hand out credentials.
 * P3 An address that hands out credentials is dialled only where a grant is exactly this address.
 */
import { BlockList, isIP } from 'node:net';
import { AxleError } from '../error/axle-error.ts';
import { addressKind, canonicalAddress } from './address-kind.ts';

/** A host, port and address that somebody wants to dial. */
export interface Place {
  /** As the URL has it, in lower case; an address without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly address: string;
}

/** A list of grants, read. */
export interface Grants {
  /** Whether this address may be dialled at this port for this host. */
  permits(place: Place): boolean;
}

type Grant =
  | { readonly kind: 'name'; readonly name: string; readonly port: number | undefined }
  | { readonly kind: 'address'; readonly address: string; readonly port: number | undefined }
  | { readonly kind: 'range'; readonly range: BlockList; readonly family: 4 | 6; readonly port: number | undefined };

/** Ports that need no grant on a public address. */
const usualPorts: ReadonlySet<number> = new Set([80, 443]);
const maxGrants = 1_000;

/** @throws AxleError `configuration-invalid` for a text that is no grant. */
export function readGrants(texts: readonly string[]): Grants {
  if (texts.length > maxGrants) {
    throw new AxleError('configuration-invalid', `allow has ${texts.length} grants; at most ${maxGrants} are read.`);
  }
  const grants = texts.map(readGrant);
  return {
    permits: (place) => {
      const kind = addressKind(place.address);
      if (kind === 'public' && usualPorts.has(place.port)) return true;
      return grants.some((grant) => covers(grant, place) && (kind !== 'metadata' || grant.kind === 'address'));
    },
  };
}

function covers(grant: Grant, { hostname, port, address }: Place): boolean {
  if (grant.port !== undefined && grant.port !== port) return false;
  switch (grant.kind) {
    case 'name':
      return grant.name === hostname;
    case 'address':
      return grant.address === address;
    case 'range':
      // Told apart by family first: Node's list takes a mapped IPv6 address for the IPv4 one.
      return isIP(address) === grant.family && grant.range.check(address, grant.family === 4 ? 'ipv4' : 'ipv6');
  }
}

function readGrant(text: string): Grant {
  const range = /^\[?([0-9a-fA-F:.]+)\]?\/(\d{1,3})$/.exec(text);
  if (range !== null) return rangeOf(text, range[1] ?? '', Number(range[2]));
  const bracketed = /^\[([0-9a-fA-F:.]+)\](?::(\d+))?$/.exec(text);
  const [, host = '', port] =
    bracketed ?? (isIP(text) === 6 ? [text, text] : (/^([^:/?#@\s[\]]+)(?::(\d+))?$/.exec(text) ?? []));
  const portNumber = port === undefined ? undefined : Number(port);
  if (host === '' || (portNumber !== undefined && (portNumber < 1 || portNumber > 65_535))) throw invalid(text);
  const address = canonicalAddress(host);
  if (address !== undefined) return { kind: 'address', address, port: portNumber };
  const name = nameOf(host);
  // What a URL would read as an address in another spelling (`127.1`, `0x7f000001`) is no name.
  if (name === undefined || isIP(name) !== 0) throw invalid(text);
  return { kind: 'name', name, port: portNumber };
}

function rangeOf(text: string, network: string, bits: number): Grant {
  const family = isIP(network);
  if (family === 0 || bits > (family === 4 ? 32 : 128)) throw invalid(text);
  const range = new BlockList();
  range.addSubnet(network, bits, family === 4 ? 'ipv4' : 'ipv6');
  return { kind: 'range', range, family: family === 4 ? 4 : 6, port: undefined };
}

/** The name as a URL spells it: lower case, in ASCII. */
function nameOf(host: string): string | undefined {
  if (host.includes('*')) return undefined;
  try {
    return withoutRootDot(new URL(`http://${host}/`).hostname);
  } catch {
    return undefined;
  }
}

/** `localhost.` and `localhost` are one host. */
export function withoutRootDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

function invalid(text: string): AxleError {
  return new AxleError('configuration-invalid', `allow has ${JSON.stringify(text)}, which is no grant.`, {
    remedy: 'Write a host, an address or a range: billing.internal:8443, 127.0.0.1:8080, [::1]:8080, 10.0.0.0/8.',
  });
}
