import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { familyOf, findAddressProblem, isNetwork, toBlockList, toNetwork } from '@hookloom/plugin-kit';
import { CONFIGURATION_INVALID, OUTBOUND_REFUSED } from '../../shared/error-catalogue.ts';
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
  return (destination) => {
    for (const allows of rules) if (allows(destination)) return true;
    return false;
  };
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

/** Resolves a host name to all of its addresses. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

export const resolveHost: ResolveHost = async (hostname) =>
  (await systemLookup(hostname, { all: true })).map(({ address }) => address);

/** One outbound connection. `target` names it in errors, such as `GET api.example.com`. */
interface Outbound {
  readonly target: string;
  readonly host: string;
  readonly port: number;
}

/** @throws AppError `OUTBOUND_REFUSED` unless the address is public or on the allow-list */
export const checkAddress = (
  { target, host, port }: Outbound,
  address: string,
  isAllowed: AllowList,
): void => {
  const problem = findAddressProblem(address);
  if (problem === null || isAllowed({ host, port, address })) return;
  const is = host === address ? 'is' : 'resolves to';
  // The address is only in the cause, for the log: in a node's error output it would let a caller map the network.
  throw new AppError(
    OUTBOUND_REFUSED,
    {
      target,
      reason: `${host} ${is} an address that is not public (${problem}); the setting OUTBOUND_ALLOW can allow ${host}:${port}`,
    },
    new Error(`${host} ${is} ${address}`),
  );
};

/**
 * The `lookup` of a socket. The socket connects to the addresses that were checked, so nothing can change between
 * check and connect (DNS rebinding). One forbidden address among several refuses the host as a whole.
 * Sockets do not look up literal addresses: check those with {@link checkAddress}.
 */
export const createGuardedLookup =
  (outbound: Outbound, resolve: ResolveHost, isAllowed: AllowList): LookupFunction =>
  (hostname, options, callback) => {
    const find = async () => {
      const addresses = await resolve(hostname);
      for (const address of addresses) checkAddress(outbound, address, isAllowed);
      return addresses.map((address) => ({ address, family: isIP(address) }));
    };
    find().then(
      (found) => {
        const [first] = found;
        if (first === undefined) callback(noAddress(hostname), '');
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };

const noAddress = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
