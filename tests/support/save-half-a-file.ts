import { openStreams } from './open-streams.ts';

// A process that prints `half` in the middle of a blob, and then waits to be killed.

const [, , place = ''] = process.argv;

const half = async function* () {
  for (let megabyte = 0; megabyte < 10; megabyte++) yield Buffer.alloc(1_000_000, 1);
  process.stdout.write('half\n');
  await new Promise((resolve) => setTimeout(resolve, 600_000));
};

await openStreams(place).putStream('executions/e-1/files/save/0.1', half());
