import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the server received, to be answered by the test. */
export interface TargetRequest {
  readonly path: string;
  readonly key: string | undefined;
  answer(): void;
}

/** The outside world, as a workflow's requests see it. */
export const startTargetServer = async () => {
  const requests: TargetRequest[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response: ServerResponse) => {
    request.resume().on('end', () => {
      requests.push({
        path: request.url ?? '',
        key: request.headers['idempotency-key']?.toString(),
        answer: () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
      });
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** Resolves with the nth request to a path. */
    received: (path: string, nth = 1): Promise<TargetRequest> =>
      new Promise((resolve) => {
        const check = () => {
          const found = requests.filter((request) => request.path === path)[nth - 1];
          if (found === undefined) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
