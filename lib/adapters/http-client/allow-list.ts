import { isIP } from 'node:net';
import { familyOf, toBlockList } from '../../shared/address-guard.ts';
import { AppError } from '../../shared/errors.ts';

/** Where one connection would go: the host of the URL, the port, and the address that was found for the host. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly address: string;
}

/** May this destination be reached although its address isn't public? */
export type AllowList = (destination: Destination) => boolean;

/**
 * Reads the list of what may be reached although it is private. An entry is
 * - a host name, `internal.example`: that very name (no wildcards), whatever it resolves to;
 * - an address, `10.0.0.7` or `::1`, or a network, `10.0.0.0/8`: whatever name leads there;
 * - any of these but a network with a port, `internal.example:8080`, `[::1]:9000`. Without one all ports are meant.
 *
 * Throws `CONFIGURATION_INVALID` for anything else, rather than allowing less, or more, than was meant.
 */
export const parseAllowList = (entries: readonly string[]): AllowList => {
  const rules = entries.map(parseEntry);
  return (destination) => rules.some((rule) => rule(destination));
};

const parseEntry = (entry: string): AllowList => {
  if (isNetwork(entry)) return allowNetwork(entry, null);
  if (isIP(entry) !== 0) return allowNetwork(toNetwork(entry), null);
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const host = bracketed ?? plain?.toLowerCase();
  const port = portText === undefined ? null : Number(portText);
  if (host === undefined || (port !== null && (port < 1 || port > 65_535))) throw invalidEntry(entry);
  if (isIP(host) !== 0) return allowNetwork(toNetwork(host), port);
  // Also refuses odd forms of addresses such as `127.1`, which URLs never hold and which would never match.
  if (bracketed !== undefined || URL.parse(`http://${host}`)?.hostname !== host) throw invalidEntry(entry);
  return (to) => to.host === host && (port === null || to.port === port);
};

const invalidEntry = (entry: string): AppError =>
  new AppError('CONFIGURATION_INVALID', {
    reason: `"${entry}" in the list of allowed hosts is neither host[:port], address[:port] nor a network`,
  });

const isNetwork = (entry: string): boolean => {
  const [base = '', bits = '', ...rest] = entry.split('/');
  const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(base)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits;
};

const toNetwork = (address: string): string => `${address}/${isIP(address) === 4 ? 32 : 128}`;

const allowNetwork = (network: string, port: number | null): AllowList => {
  const list = toBlockList([network]);
  return ({ address, port: to }) => list.check(address, familyOf(address)) && (port === null || to === port);
};
