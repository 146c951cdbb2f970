import { BlockList, isIP } from 'node:net';

/** Whether a text is a network in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3). */
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

export const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');
