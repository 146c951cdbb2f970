import { StartError } from 'lambda-stage/database';
import { readServiceInfo } from '../cli/local/local-service.ts';
import { isInstalled } from '../cli/local/project-folder.ts';

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
  return new StartError(
    `${taken}, or choose another: PORT=${port + 1} ${isInstalled() ? 'npx hookloom start' : 'npm start'}`,
    { cause: error },
  );
};

/** The options of the command line; if they are wrong, prints why and ends the process. @param read - throws then */
export const readOptions = <Values>(read: () => Values, help: string): Values => {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
};

/** Ctrl+C arrives twice: from the terminal and from npm. */
const SAME_SIGNAL_MS = 500;

/**
 * Stops a service when a signal arrives, then ends the process; a second signal ends it at once.
 *
 * @param findStop - returns null before the service has started
 */
export const stopOnSignals = (findStop: () => (() => Promise<void>) | null): void => {
  let endingSince: number | null = null;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, async () => {
      if (endingSince !== null && performance.now() - endingSince < SAME_SIGNAL_MS) return;
      const stop = findStop();
      if (stop === null || endingSince !== null) process.exit(1);
      endingSince = performance.now();
      await stop();
      process.exit(0);
    });
};
