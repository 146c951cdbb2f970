import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { findAddressProblem } from '../../shared/address-guard.ts';
import { AppError } from '../../shared/errors.ts';
import type { AllowList } from './allow-list.ts';

/** All addresses of a host name; rejects when it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

export const resolveHost: ResolveHost = async (hostname) =>
  (await systemLookup(hostname, { all: true })).map(({ address }) => address);

/** One outbound connection to be made. `target` names it in errors, such as `GET api.example.com`. */
interface Outbound {
  readonly target: string;
  readonly host: string;
  readonly port: number;
}

/** Throws `OUTBOUND_REFUSED` unless the address is public or on the allow-list. */
export const checkAddress = (
  { target, host, port }: Outbound,
  address: string,
  isAllowed: AllowList,
): void => {
  const problem = findAddressProblem(address);
  if (problem === null || isAllowed({ host, port, address })) return;
  const is = host === address ? 'is' : 'resolves to';
  // The address itself goes no further than the log: through a node's error output a caller could map a network.
  throw new AppError(
    'OUTBOUND_REFUSED',
    { target, reason: `${host} ${is} an address that is not public (${problem})` },
    new Error(`${host} ${is} ${address}`),
  );
};

/**
 * The `lookup` of a socket: what it answers is what is connected to, so nothing can change between check and
 * connect (DNS rebinding). One forbidden address among several refuses the host as a whole.
 * A socket asks no lookup for a literal address: see to those with {@link checkAddress}.
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
