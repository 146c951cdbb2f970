import { isIP } from 'node:net';
import { familyOf, isNetwork, toBlockList, toNetwork } from '@hookloom/plugin-kit';
import { CONFIGURATION_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';

/** The target of one connection: host and port of the URL, and the address that the host resolved to. */
interface Destination {
  readonly host: string;
  readonly port: number;
  readonly address: string;
}

/** Whether a destination may be reached although its address is not public. */
export type AllowList = (destination: Destination) => boolean;

/**
 * Parses the list of allowed private destinations. Each entry is one of:
 * - a host name, `internal.example`: exactly that name, whatever it resolves to;
 * - an address, `10.0.0.7` or `::1`, or a network, `10.0.0.0/8`, whatever the host name;
 * - a name or an address with a port, `internal.example:8080`, `[::1]:9000`. Without a port all ports are allowed.
 * @throws AppError `CONFIGURATION_INVALID` if an entry is none of these, since ignoring it would allow less than
 * intended.
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
  // Also refuses odd forms of addresses such as `127.1`: a parsed URL never holds them, so they would never match.
  if (bracketed !== undefined || URL.parse(`http://${host}`)?.hostname !== host) throw invalidEntry(entry);
  return (to) => to.host === host && (port === null || to.port === port);
};

const invalidEntry = (entry: string): AppError =>
  new AppError(CONFIGURATION_INVALID, {
    reason: `"${entry}" in the list of allowed hosts must be host[:port], address[:port] or a network`,
  });

const allowNetwork = (network: string, port: number | null): AllowList => {
  const list = toBlockList([network]);
  return ({ address, port: to }) => list.check(address, familyOf(address)) && (port === null || to === port);
};
