import { type AddressInfo, createServer } from 'node:net';
import { StartError } from './start-error.ts';

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

/**
 * Reads a port from a setting and makes sure that it can be had; 0 picks any free one.
 * @throws {StartError}
 */
export const claimPort = async (setting: unknown): Promise<number> => {
  const port = Number(setting);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new StartError(`PORT must be a number from 0 to 65535, not "${setting}".`);
  }
  try {
    return await tryPort(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartError(
      `Port ${port} is taken. Stop what listens there, or choose another: PORT=${port + 1} npm start`,
    );
  }
};
