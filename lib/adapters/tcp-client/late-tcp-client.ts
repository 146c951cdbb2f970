import { lazy, type TcpClient } from '@hookloom/plugin-kit';

/** A TCP client that loads its code, and modules of Node, for its first connection: few sandboxes make one. */
export const lateTcpClient = (allow: readonly string[]): TcpClient => {
  const load = lazy(async () => (await import('./tcp-client.chunk.ts')).createTcpClient({ allow }));
  return {
    connect: async (target) => (await load()).connect(target),
  };
};
