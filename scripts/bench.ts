import { cpus, totalmem } from 'node:os';
import { benchBundles } from './bench/bundles.ts';
import { benchEngine } from './bench/engine.ts';
import { benchRequests } from './bench/requests.ts';

// Figures of one run compare with one another, and with those of no other machine.
const [{ model } = { model: 'unknown' }] = cpus();
console.log(
  `Node ${process.version} on ${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
);

await benchRequests();
await benchEngine();
await benchBundles();
