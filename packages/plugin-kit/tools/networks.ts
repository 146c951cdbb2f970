import { BlockList, isIP } from 'node:net';

/** Whether a string is a network in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3). */
export const isNetwork = (text: string): boolean => {
  const [base = '', bits = '', ...rest] = text.split('/');
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(base)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits;
};

/** The network of a single address. */
export const toNetwork = (address: string): string => `${address}/${isIP(address) === 4 ? 32 : 128}`;

/** Networks as a `BlockList`, which matches IPv4-mapped addresses too. */
export const toBlockList = (networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', bits] = network.split('/');
    list.addSubnet(base, Number(bits), familyOf(base));
  }
  return list;
};

/**
 * The addresses that one caller controls: an IPv4 address, or the 64-bit network in which an IPv6 host chooses its
 * addresses (RFC 4291 §2.5.4).
 */
export const toCallerNetwork = (address: string): string => {
  if (isIP(address) !== 6) return address;
  const [plain = ''] = address.split('%'); // without a zone
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [before = [], after = []] = canonical
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  const groups = [...before, ...zeros, ...after];
  const isMapped = groups.slice(0, 5).every((group) => group === '0'); // IPv4 in IPv6, and the host itself
  return isMapped ? groups.join(':') : `${groups.slice(0, 4).join(':')}::/64`;
};

export const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');
