import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

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

/** An HTTP server that the local service uses internally, in place of an AWS API. */
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

interface ReceivedRequest {
  /** Alternating names and values, as in `node:http`. */
  readonly rawHeaders: readonly string[];
  /** Port of the server. */
  readonly port: number;
}

/** A problem as JSON (RFC 9457). */
interface ForeignRequest {
  readonly type: string;
  readonly title: string;
  readonly status: 403 | 421;
  readonly detail: string;
}

const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** What browsers send for a page of the same origin or a typed address. */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Why a server on this machine refuses a request that a web page of a different origin made a browser send; null for any
 * other request. The `Host` must be the server's own: otherwise a host name pointed at this machine would make a page same-origin
 * (DNS rebinding). Programs send no `Origin` and no `Sec-Fetch-Site`: https://www.w3.org/TR/fetch-metadata/
 */
export const findForeignRequest = ({ rawHeaders, port }: ReceivedRequest): ForeignRequest | null => {
  const [host = '', ...furtherHosts] = valuesOf('host', rawHeaders);
  const own = OWN_NAMES.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  if (furtherHosts.length > 0 || !own.includes(host))
    return {
      type: 'urn:hookloom:problem:local-host-refused',
      title: 'Host refused',
      status: 421,
      detail: `The Host header does not name this server: send the request to http://localhost:${port}, 127.0.0.1 or [::1] with this port. Under any other name, a web page could reach it.`,
    };
  const isOwn =
    valuesOf('origin', rawHeaders).every((origin) => origin === `http://${host}`) &&
    valuesOf('sec-fetch-site', rawHeaders).every((site) => OWN_SITES.includes(site));
  if (isOwn) return null;
  return {
    type: 'urn:hookloom:problem:local-origin-refused',
    title: 'Origin refused',
    status: 403,
    detail: `According to the headers Origin and Sec-Fetch-Site, a page of a different origin sent this request. http://localhost:${port} accepts requests from programs, its own pages and typed addresses.`,
  };
};

const valuesOf = (name: string, rawHeaders: readonly string[]): readonly string[] =>
  rawHeaders
    .filter((_text, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
    .map((value) => value.toLowerCase());
