import { benchLocal } from './bench/local.ts';
import { printMachine } from './bench/measure.ts';

printMachine();
await benchLocal();
