import type { TcpClient } from '../../contract/tcp-client.ts';
import { lazy } from '../../shared/lazy.ts';

/** A TCP client that loads its code, and modules of Node, for its first connection: few sandboxes make one. */
export const lateTcpClient = (allow: readonly string[]): TcpClient => {
  const load = lazy(async () => (await import('./tcp-client.chunk.ts')).createTcpClient({ allow }));
  return {
    connect: async (target) => (await load()).connect(target),
  };
};
