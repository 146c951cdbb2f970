import { StartError } from 'lambda-stage/database';
import { readServiceInfo } from '../cli/local/local-service.ts';

/** @throws StartError when the setting is not a port */
export const readPort = (setting: unknown): number => {
  const port = Number(setting);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new StartError(`PORT must be a number from 0 to 65535, not "${setting}".`);
};

/** A StartError for a port in use; any other error unchanged. */
export const toPortError = (error: unknown, port: number): unknown => {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error;
  const service = readServiceInfo(String(port));
  const taken =
    service === null
      ? `Port ${port} is in use. Stop the process that listens there`
      : `Port ${port} is in use. The local service of this folder already runs there (process ${service.pid}). Stop it`;
  return new StartError(`${taken}, or choose another: PORT=${port + 1} npm start`, { cause: error });
};
