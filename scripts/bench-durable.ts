import { benchDurable } from './bench/durable.ts';
import { printMachine } from './bench/measure.ts';

printMachine(); // operations and bytes are the same everywhere
await benchDurable();
console.log(
  'Prices: list, us-east-1, of durable operations and of what they write; without Lambda itself, which both need.',
);
