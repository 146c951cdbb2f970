import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { styleText } from 'node:util';
import { endOnFailure } from './database/disk-failure.ts';
import type { LocalService, ServiceOptions } from './start-service.ts';
import { readPort, stopOnSignals } from './start-up.ts';

const PORT = '3000';

/**
 * Runs the service until a signal stops it; ends the process if it can't.
 *
 * @param options - those that were given; the others are in the environment, or have defaults
 */
export const runService = async (options: {
  readonly port?: string | undefined;
  readonly data?: string | undefined;
  readonly traces?: string | undefined;
}): Promise<void> => {
  const dataFolder = options.data ?? (process.env.HOOKLOOM_DATA || undefined);
  const { port = process.env.PORT || PORT, traces } = options;
  await startUntilStopped(port, { dataFolder, traces }).catch(endOnFailure(resolve(dataFolder ?? tmpdir())));
};

const startUntilStopped = async (
  port: string,
  options: Pick<ServiceOptions, 'dataFolder' | 'traces'>,
): Promise<void> => {
  let service: LocalService | null = null;
  const checkedPort = readPort(port);
  stopOnSignals(() => service?.stop ?? null);
  const { startService } = await import('./start-service.ts');
  service = await startService({
    port: checkedPort,
    ...options,
    log: (line) => process.stdout.write(`${paintNotice(withoutMetrics(line))}\n`),
  });
  process.stdout.write(service.startupMessage);
};

/** Colours the line of a notice, if this is a terminal with colours. */
const paintNotice = (line: string): string =>
  line.startsWith('Notice: ') ? styleText('yellow', line, { stream: process.stdout }) : line;

/** Removes the metric definitions at the end of a log line, which are for CloudWatch. */
const withoutMetrics = (line: string): string => {
  const at = line.lastIndexOf(',"_aws":{"Timestamp":');
  return at === -1 || !line.startsWith('{') ? line : `${line.slice(0, at)}}`;
};
