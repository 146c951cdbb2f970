import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchHostileBodies } from './bench/hostile-bodies.ts';

/** Lambda takes 6 MB, of which the event around the body needs a part. */
const LARGEST_BODY = 5_900_000;

const { values } = parseArgs({ options: { bytes: { type: 'string', default: String(LARGEST_BODY) } } });
const bytes = Number(values.bytes);
if (!Number.isInteger(bytes) || bytes < 1_000)
  throw new Error('--bytes must be a whole number, 1000 at least');

// Figures of one run compare with one another, and with those of no other machine.
const [{ model } = { model: 'unknown' }] = cpus();
console.log(`Node ${process.version} on ${cpus().length} × ${model}; bodies of up to ${bytes} bytes`);
await benchHostileBodies(bytes);
