import { cpus } from 'node:os';
import { benchLocal } from './bench/local.ts';

// Times compare with one another, and with those of no other machine.
const [{ model } = { model: 'unknown' }] = cpus();
console.log(`Node ${process.version} on ${cpus().length} × ${model}`);
await benchLocal();
