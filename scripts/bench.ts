import { benchBundles } from './bench/bundles.ts';
import { benchEngine } from './bench/engine.ts';
import { printMachine } from './bench/measure.ts';
import { benchRequests } from './bench/requests.ts';
import { benchWrites } from './bench/writes.ts';

printMachine();
await benchWrites();
await benchRequests();
await benchEngine();
await benchBundles();
