import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PING } from '../../lib/health/ping.ts';

const PONG = JSON.stringify({ hookloom: 'pong', function: 'any', time: 0, config: {} });

/** Lambda's API for a stage all of whose functions answer pings, and nothing else. */
export const aPingedLambda = async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'GET') response.end(JSON.stringify({ Status: 'SUCCEEDED', Result: PONG }));
      else if (request.headers['x-amz-invocation-type'] === 'Event')
        response.writeHead(202, { 'x-amz-durable-execution-arn': `arn:${PING.hookloom}` }).end();
      else response.end(PONG);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
