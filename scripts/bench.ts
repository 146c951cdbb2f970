import { benchBundles } from './bench/bundles.ts';
import { benchEngine } from './bench/engine.ts';
import { printMachine } from './bench/measure.ts';
import { benchRequests } from './bench/requests.ts';

printMachine();
await benchRequests();
await benchEngine();
await benchBundles();
