import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

interface RawRequest {
  readonly port: number;
  readonly path: string;
  /** GET when absent. */
  readonly method?: string;
  /** All of them, names and values in turn. */
  readonly headers: readonly string[];
  readonly body?: string;
}

/** Sends a request to loopback with the headers as they are, `Host` included: `fetch` would change some. */
export const sendRaw = async ({ port, path, method = 'GET', headers, body }: RawRequest) => {
  const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
  const outgoing = request({
    host: 'localhost',
    port,
    path,
    method,
    setHost: false,
    headers: [...headers, ...length],
  });
  outgoing.end(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.once('response', resolve).once('error', reject),
  );
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
};
