import { type AddressInfo, createServer } from 'node:net';
import { readServiceInfo } from '../cli/local-service.ts';
import { StartError } from './database/start-error.ts';

/** Listens on the port for a moment: resolves with its number (a free one for 0), rejects when it is taken. */
const tryPort = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, 'localhost', () => {
      const { port: actual } = server.address() as AddressInfo;
      server.close(() => resolve(actual));
    });
  });

export const findFreePort = (): Promise<number> => tryPort(0);

/** @throws {StartError} */
export const readPort = (setting: unknown): number => {
  const port = Number(setting);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new StartError(`PORT must be a number from 0 to 65535, not "${setting}".`);
};

/** Says what to do about a port that is taken; any other error stays as it is. */
export const toPortError = (error: unknown, port: number): unknown => {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error;
  const service = readServiceInfo(String(port));
  const taken =
    service === null
      ? `Port ${port} is taken. Stop what listens there`
      : `Port ${port} is taken. The local service of this folder is up there (process ${service.pid}). End that one`;
  return new StartError(`${taken}, or choose another: PORT=${port + 1} npm start`, { cause: error });
};

/**
 * Makes sure that a port can be had; 0 picks any free one.
 * @throws {StartError}
 */
export const claimPort = async (setting: unknown): Promise<number> => {
  const port = readPort(setting);
  try {
    return await tryPort(port);
  } catch (error) {
    throw toPortError(error, port);
  }
};
