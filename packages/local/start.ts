import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnFailure } from './database/disk-failure.ts';
import { readPort } from './ports.ts';
import type { LocalService } from './start-service.ts';

const help = `npm start: the whole service on this machine.

  npm start                      data in memory
  npm start -- --data DIR        workflows, credentials and executions in DIR
  HOOKLOOM_DATA=DIR npm start    the same
  PORT=4000 npm start            another port; 0 uses any free port

Press Ctrl+C to stop it.
`;

const PORT = '3000';

/** Ctrl+C arrives twice: from the terminal and from npm. */
const SAME_SIGNAL_MS = 500;

/** Parses the command line; if it is invalid, prints why and ends the process. */
const readOptions = (): { readonly data?: string | undefined; readonly help?: boolean | undefined } => {
  try {
    const options = { data: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
};

/** Runs the service until a signal stops it; a second one ends it immediately. */
const run = async (dataFolder: string | undefined): Promise<void> => {
  const port = readPort(process.env.PORT || PORT);
  let service: LocalService | null = null;
  let endingSince: number | null = null;
  const end = async () => {
    if (endingSince !== null && performance.now() - endingSince < SAME_SIGNAL_MS) return;
    if (service === null || endingSince !== null) process.exit(1);
    endingSince = performance.now();
    await service.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);

  const { startService } = await import('./start-service.ts');
  service = await startService({
    port,
    dataFolder,
    log: (line) => process.stdout.write(`${withoutMetrics(line)}\n`),
  });
  process.stdout.write(service.startupMessage);
};

/** Removes the metric definitions at the end of a log line, which are for CloudWatch. */
const withoutMetrics = (line: string): string => {
  const at = line.lastIndexOf(',"_aws":{"Timestamp":');
  return at === -1 || !line.startsWith('{') ? line : `${line.slice(0, at)}}`;
};

const { help: isHelp, data } = readOptions();
if (isHelp === true) process.stdout.write(help);
else {
  const dataFolder = data ?? (process.env.HOOKLOOM_DATA || undefined);
  const place = resolve(dataFolder ?? tmpdir());
  run(dataFolder).catch(endOnFailure(place));
}
