import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import http2, { type Http2Session } from 'node:http2';
import net, { type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** What arrived at the server. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Which connection it came over: 1 for the first one. */
  readonly connection: number;
}

export interface LocalServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  readonly received: ReceivedRequest[];
  close(): Promise<void>;
}

/** Answers one request. Paths that are not there are 404. */
export type Routes = Readonly<Record<string, (request: ReceivedRequest, response: ServerResponse) => void>>;

/** A real server on a free port of the loopback interface, which keeps what it receives. */
export const aLocalServer = async (routes: Routes): Promise<LocalServer> => {
  const { received, listener } = createListener(routes);
  const server = http.createServer(listener);
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** The same for HTTP/2 without TLS, which some clients of the AWS SDK use. */
export const aLocalHttp2Server = async (routes: Routes): Promise<LocalServer> => {
  const { received, listener } = createListener(routes);
  const sessions = new Set<Http2Session>();
  const server = http2.createServer(listener as unknown as Parameters<typeof http2.createServer>[0]);
  server.on('session', (session) => sessions.add(session));
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
};

const listen = async (server: net.Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

const createListener = (routes: Routes) => {
  const received: ReceivedRequest[] = [];
  const connections = new Map<unknown, number>();
  const listener: RequestListener = async (incoming, response) => {
    const { method = '', url = '', headers, socket } = incoming;
    const connection = connections.get(socket) ?? connections.size + 1;
    connections.set(socket, connection);
    const body = await text(incoming).catch(() => null);
    if (body === null) return; // the caller disconnected before it had sent everything
    const request = { method, url, headers, body, connection };
    received.push(request);
    const [path = ''] = url.split('?');
    const route = routes[path];
    if (route === undefined) response.writeHead(404).end();
    else route(request, response);
  };
  return { received, listener };
};

export const redirectTo =
  (status: number, location: string): Routes[string] =>
  (_request, response) => {
    response.writeHead(status, { location }).end();
  };

/** A server that answers every connection with these bytes, whether they are HTTP or not. */
export const aRawServer = async (answer: string): Promise<Omit<LocalServer, 'received'>> => {
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer, 'latin1'));
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
