/**
 * Which network an address belongs to. Only what is public may be dialled without a grant.
 *
 * K1 IPv6 is public only inside 2000::/3, less the parts of it that are reserved or that carry an IPv4 address in them. What is not known to be public is not.
 * K2 An IPv6 address that stands for an IPv4 address (mapped, NAT64, 6to4, Teredo) is never public: what it leads to is for the network to say.
 * K3 The addresses at which clouds hand out a machine's credentials are a kind of their own: a grant of a range does not contain them.
 *
 * Ranges: the IANA special-purpose registries of IPv4 and IPv6 (RFC 6890 and its updates).
 */
import { BlockList, isIP, SocketAddress } from 'node:net';

/** `public` is dialled; `metadata` only when its very address is granted; the others when a grant contains them. */
export type AddressKind = 'public' | 'metadata' | 'private';

const reserved4 = listOf('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
const global6 = listOf('ipv6', ['2000::/3']);
/** Protocol assignments with Teredo and ORCHID, documentation, 6to4, AS112, segment routing. */
const reserved6 = listOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);

/** EC2 and most others, ECS, EKS pods, Azure's wire server, Alibaba, Oracle's older one; EC2 and Google over IPv6. */
const metadata4 = listOf('ipv4', [
  '169.254.169.254/32',
  '169.254.169.253/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
]);
const metadata6 = listOf('ipv6', ['fd00:ec2::254/128', 'fd00:ec2::253/128', 'fd00:ec2::23/128', 'fd20:ce::254/128']);

/** The kind of an address that `isIP` knows; whatever else it is handed is private. */
export function addressKind(address: string): AddressKind {
  switch (isIP(address)) {
    case 4:
      if (metadata4.check(address, 'ipv4')) return 'metadata';
      return reserved4.check(address, 'ipv4') ? 'private' : 'public';
    case 6: {
      // A mapped address that leads to a service of credentials needs the same grant as the address itself.
      const mapped = mappedAddress(address);
      if (mapped !== undefined) return addressKind(mapped) === 'metadata' ? 'metadata' : 'private';
      if (metadata6.check(address, 'ipv6')) return 'metadata';
      return global6.check(address, 'ipv6') && !reserved6.check(address, 'ipv6') ? 'public' : 'private';
    }
    default:
      return 'private';
  }
}

/** One spelling for each address, without a zone. Undefined for what is no address. */
export function canonicalAddress(address: string): string | undefined {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return undefined;
  return new SocketAddress({ address, family: family === 4 ? 'ipv4' : 'ipv6' }).address;
}

const mapped6 = listOf('ipv6', ['::ffff:0:0/96']);

function mappedAddress(address: string): string | undefined {
  if (!mapped6.check(address, 'ipv6')) return undefined;
  return /(\d+\.\d+\.\d+\.\d+)$/.exec(canonicalAddress(address) ?? '')?.[1];
}

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
