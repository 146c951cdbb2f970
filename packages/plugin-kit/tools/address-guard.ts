import { isIP } from 'node:net';
import { familyOf, toBlockList } from './networks.ts';

/** IPv4 networks that are not public: IANA's special-purpose registry (RFC 6890 and updates), multicast, reserved. */
const specialV4 = [
  ['loopback', '127.0.0.0/8'],
  ['private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ['link-local', '169.254.0.0/16'],
  ['shared by a carrier', '100.64.0.0/10'],
  ['this network', '0.0.0.0/8'],
  ['special', '192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15'],
  ['documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  ['multicast', '224.0.0.0/4'],
  ['reserved', '240.0.0.0/4'],
] as const;

/** The only IPv6 networks in use on the internet (RFC 4291 §2.4), and the special ones among them. */
const globalV6 = ['2000::/3'];
const specialV6 = [
  ['special', '2001::/23'],
  ['documentation', '2001:db8::/32', '3fff::/20'],
  ['a tunnel to IPv4', '2002::/16'],
] as const;

/** IPv4-mapped IPv6, `::ffff:127.0.0.1`: checked as the IPv4 address that it connects to. */
const mappedV4 = ['::ffff:0:0/96'];

/** NAT64 (RFC 6052 §2.1): resolvers in such networks map every IPv4 host to one, so they can't all be refused. */
const translatedV4 = ['64:ff9b::/96'];

const toNamedLists = (ranges: readonly (readonly [string, ...string[]])[]) =>
  ranges.map(([name, ...networks]) => ({ name, list: toBlockList(networks) }));

const v4 = toNamedLists(specialV4);
const v6 = toNamedLists(specialV6);
const mapped = toBlockList(mappedV4);
const translated = toBlockList(translatedV4);
const globalUnicast = toBlockList(globalV6);

/**
 * The reason to refuse an address, such as `loopback` or `private`; null if it is public. For IPv6 this is an allow
 * list, so that ranges assigned later are refused.
 */
export const findAddressProblem = (address: string): string | null => {
  if (isIP(address) === 0 || address.includes('%')) return 'not a plain IP address';
  const family = familyOf(address);
  if (family === 'ipv4' || mapped.check(address, 'ipv6')) return findIn(v4, address, family);
  if (translated.check(address, 'ipv6')) return findIn(v4, toTranslatedV4(address), 'ipv6');
  return globalUnicast.check(address, 'ipv6') ? findIn(v6, address, family) : 'not global';
};

const findIn = (ranges: typeof v4, address: string, family: 'ipv4' | 'ipv6'): string | null => {
  for (const { name, list } of ranges) if (list.check(address, family)) return name;
  return null;
};

/** The IPv4 address in the last 32 bits, IPv4-mapped. */
const toTranslatedV4 = (address: string): string => {
  // The URL parser normalises (RFC 5952): `[64:ff9b::7f00:1]`, or `[64:ff9b::1]` when the upper 16 bits are 0.
  const groups = new URL(`http://[${address}]`).hostname.slice('[64:ff9b::'.length, -1);
  return groups.includes(':') ? `::ffff:${groups}` : `::ffff:0:${groups || '0'}`;
};
