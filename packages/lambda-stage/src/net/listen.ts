import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { findForeignRequest } from './local-requests.ts';

/**
 * Starts a server.
 * @param port - 0 uses any free port
 * @param host - `127.0.0.1` unless given
 * @returns the port
 * @throws Error with the system's code when the port is in use: `EADDRINUSE`
 */
export const listen = (server: Server, port = 0, host = '127.0.0.1'): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

/** An HTTP server for programs on this machine, in place of an AWS API. */
export interface InternalServer {
  /** URL of the server: `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts a server on the loopback interface, which does not keep the process alive. Requests of web pages don't reach its
 * listeners: nothing else protects an open port on this machine from them.
 */
export const startInternalServer = async (server: HttpServer): Promise<InternalServer> => {
  refuseForeignRequests(server);
  server.keepAliveTimeout = 0; // after a blocked event loop, a client in this process would write to a closed connection
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

/** Keeps requests of web pages from the server's listeners, see {@link findForeignRequest}. */
export const refuseForeignRequests = (server: HttpServer): void => {
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { rawHeaders, socket } = request;
    const foreign = findForeignRequest({ rawHeaders, port: socket.localPort ?? 0 });
    if (foreign === null) {
      for (const listener of listeners) listener.call(server, request, response);
      return;
    }
    request.resume(); // drops the rest; otherwise the caller would not see the response
    response
      .writeHead(foreign.status, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify(foreign));
  });
};
