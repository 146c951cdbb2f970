import { Command, InvalidArgumentError } from 'commander';
import { printMachine } from './bench/measure.ts';

/** Lambda accepts 6 MB, of which the event around the body needs a part. */
const LARGEST_BODY = 5_900_000;

const parseBytes = (text: string): number => {
  const bytes = Number(text);
  if (Number.isInteger(bytes) && bytes >= 1_000) return bytes;
  throw new InvalidArgumentError('It must be a whole number of at least 1000.');
};

const { bytes, limits, only } = new Command('npm run bench:hostile --')
  .description(
    'Measures requests that are made to take long, and runs with bodies that are slow to search for secrets',
  )
  .option('--limits', 'only the requests, for which there is a limit: the exit code is 1 when one is above')
  .option('--only <text>', 'of those requests the ones whose names have this text', '')
  .option('--bytes <number>', 'size of the largest body, as JSON', parseBytes, LARGEST_BODY)
  .parse()
  .opts<{ readonly bytes: number; readonly limits?: true; readonly only: string }>();

// Loaded after the options are read: they import the whole service.
const { benchHostileBodies } = await import('./bench/hostile-bodies.ts');
const { benchHostileBodyTypes } = await import('./bench/hostile-body-types.ts');
const { benchHostileRequests } = await import('./bench/hostile-requests.ts');

printMachine(`; bodies of up to ${bytes} bytes`);
if (!(await benchHostileRequests(only))) process.exitCode = 1;
if (limits !== true) {
  await benchHostileBodies(bytes);
  await benchHostileBodyTypes(bytes);
}
