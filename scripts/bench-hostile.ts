import { Command, InvalidArgumentError } from 'commander';
import { benchHostileBodies } from './bench/hostile-bodies.ts';
import { benchHostileBodyTypes } from './bench/hostile-body-types.ts';
import { printMachine } from './bench/measure.ts';

/** Lambda accepts 6 MB, of which the event around the body needs a part. */
const LARGEST_BODY = 5_900_000;

const parseBytes = (text: string): number => {
  const bytes = Number(text);
  if (Number.isInteger(bytes) && bytes >= 1_000) return bytes;
  throw new InvalidArgumentError('It must be a whole number of at least 1000.');
};

const { bytes } = new Command('npm run bench:hostile --')
  .description('Measures requests and runs with bodies that are slow to search for secrets, or to parse')
  .option('--bytes <number>', 'size of the largest body, as JSON', parseBytes, LARGEST_BODY)
  .parse()
  .opts<{ readonly bytes: number }>();

printMachine(`; bodies of up to ${bytes} bytes`);
await benchHostileBodies(bytes);
await benchHostileBodyTypes(bytes);
