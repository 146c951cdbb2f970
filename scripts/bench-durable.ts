import { cpus } from 'node:os';
import { benchDurable } from './bench/durable.ts';

// Operations and bytes are the same everywhere; times compare with one another, and with those of no other machine.
const [{ model } = { model: 'unknown' }] = cpus();
console.log(`Node ${process.version} on ${cpus().length} × ${model}`);
await benchDurable();
console.log(
  'Prices: list, us-east-1, of durable operations and of what they write; without Lambda itself, which both need.',
);
