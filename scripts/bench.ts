import { benchBundles } from './bench/bundles.ts';
import { printMachine } from './bench/measure.ts';
import { benchCodeNode } from './bench/requests/code-node.ts';
import { benchFirstRequest } from './bench/requests/first-request.ts';
import { benchFourNodes } from './bench/requests/four-nodes.ts';
import { benchWrites } from './bench/units/writes.ts';

printMachine();
await benchFourNodes();
await benchFirstRequest();
await benchCodeNode();
await benchBundles();
await benchWrites();
console.log(`
CPU time is user and system time of the process, its garbage collection included. The figures of a table are medians of
alternating rounds, so compare them with each other, not with a different run: shared caches and clock rates affect all of
them. ± is half of the interquartile range of the rounds: a difference smaller than both ranges together is not
significant. Not measured: the network to AWS, TLS handshakes, Lambda's own CPU.`);
