import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import type { TcpClient, TcpTarget } from '@hookloom/plugin-kit';
import { OUTBOUND_REFUSED, OUTBOUND_TIMEOUT } from '../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { startDeadline } from '../http-client/deadline.ts';
import {
  type AllowList,
  checkAddress,
  createGuardedLookup,
  parseAllowList,
  type ResolveHost,
  resolveHost,
} from '../http-client/guarded-lookup.ts';
import { toOutboundFailure } from '../http-client/outbound-failure.ts';

interface TcpClientOptions {
  /** Private destinations that may be reached: see {@link parseAllowList}. None by default. */
  readonly allow?: readonly string[];
  readonly lookup?: ResolveHost;
}

/**
 * Connections for nodes that use another protocol than HTTP, such as SMTP or PostgreSQL. As in the HTTP client, the
 * address is checked before connecting.
 * @throws AppError `CONFIGURATION_INVALID` if the allow-list is invalid
 */
export const createTcpClient = ({ allow = [], lookup = resolveHost }: TcpClientOptions = {}): TcpClient => {
  const isAllowed = parseAllowList(allow);
  return {
    connect: async (given) => {
      const host = given.host.toLowerCase();
      const outbound = { target: `A connection to ${host}:${given.port}`, host, port: given.port };
      const { timeoutMs, signal } = given;
      const onTimeout = () => new AppError(OUTBOUND_TIMEOUT, { target: outbound.target, timeoutMs });
      const deadline = startDeadline({ timeoutMs, signal, onTimeout });
      try {
        const socket = await deadline.guard(openSocket(outbound, { lookup, isAllowed }, deadline.signal));
        deadline.end();
        return socket;
      } catch (error) {
        signal.throwIfAborted();
        throw isAppError(error) ? error : toOutboundFailure(outbound.target, error);
      }
    },
  };
};

type Outbound = Pick<TcpTarget, 'host' | 'port'> & { readonly target: string };

const openSocket = async (
  outbound: Outbound,
  guard: { readonly lookup: ResolveHost; readonly isAllowed: AllowList },
  signal: AbortSignal,
): Promise<Socket> => {
  const { host, port, target } = outbound;
  if (host === '') throw new AppError(OUTBOUND_REFUSED, { target, reason: 'it has no host' }); // otherwise this machine
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new AppError(OUTBOUND_REFUSED, { target, reason: 'its port is not from 1 to 65535' });
  if (isIP(host) !== 0) checkAddress(outbound, host, guard.isAllowed); // sockets do not look up literals
  const lookup = createGuardedLookup(outbound, guard.lookup, guard.isAllowed);
  const socket = connect({ host, port, lookup });
  const onAbort = () => socket.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => {}); // an error after the abort has no other listener
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};
