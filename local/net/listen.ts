import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/**
 * Starts a server.
 * @param port - 0 takes any free one
 * @param host - `127.0.0.1` unless given
 * @returns the port
 * @throws Error with the system's code when the port is taken: `EADDRINUSE`
 */
export const listen = (server: Server, port = 0, host = '127.0.0.1'): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

/** An HTTP server that the local service uses itself, in place of one of AWS's. */
export interface InternalServer {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts a server on the loopback interface, which does not keep the process alive. */
export const startInternalServer = async (server: HttpServer): Promise<InternalServer> => {
  const port = await listen(server);
  server.unref();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
};
