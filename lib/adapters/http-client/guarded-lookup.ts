import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { findAddressProblem } from '@hookloom/plugin-kit';
import { OUTBOUND_REFUSED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { AllowList } from './allow-list.ts';

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
