import type { TcpClient } from '../../contract/tcp-client.ts';

/** A TCP client that loads its code, and modules of Node, for its first connection: few sandboxes make one. */
export const lateTcpClient = (allow: readonly string[]): TcpClient => {
  let client: Promise<TcpClient> | undefined;
  return {
    connect: async (target) => {
      client ??= import('./tcp-client.chunk.ts').then(({ createTcpClient }) => createTcpClient({ allow }));
      return (await client).connect(target);
    },
  };
};
