import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnFailure } from './database/disk-failure.ts';
import type { LocalService } from './start-service.ts';
import { readOptions, readPort, stopOnSignals } from './start-up.ts';

const help = `npm start: the whole service on this machine.

  npm start                      data in memory
  npm start -- --data DIR        workflows, credentials and executions in DIR
  HOOKLOOM_DATA=DIR npm start    the same
  PORT=4000 npm start            another port; 0 uses any free port

Press Ctrl+C to stop it.
`;

const PORT = '3000';

/** Runs the service until a signal stops it. */
const runService = async (dataFolder: string | undefined): Promise<void> => {
  const port = readPort(process.env.PORT || PORT);
  let service: LocalService | null = null;
  stopOnSignals(() => service?.stop ?? null);
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

const options = { data: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
const { help: isHelp, data } = readOptions(() => parseArgs({ options }).values, help);
if (isHelp === true) process.stdout.write(help);
else {
  const dataFolder = data ?? (process.env.HOOKLOOM_DATA || undefined);
  const place = resolve(dataFolder ?? tmpdir());
  runService(dataFolder).catch(endOnFailure(place));
}
