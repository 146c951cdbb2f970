import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to an HTTP API of AWS, as far as its operation goes. */
export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  /** The header `x-amz-target`; empty where the path names the operation. */
  readonly target: string;
  /** The table of DynamoDB; empty for any other call. */
  readonly table: string;
}

/** A proxy before a server of this machine, which keeps what passes. */
export const startRecordingProxy = async (endpoint: string) => {
  const calls: RecordedCall[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const [, table = ''] = /"TableName":"([^"]*)"/.exec(String(bytes)) ?? [];
    const { method = '', url: path = '', headers } = incoming;
    calls.push({ method, path, target: String(headers['x-amz-target'] ?? ''), table });
    const { host: _host, connection: _connection, 'content-length': _length, ...passed } = headers;
    const answer = await fetch(`${endpoint}${path}`, {
      method,
      headers: passed as Record<string, string>,
      ...(bytes.length === 0 ? {} : { body: bytes }),
    });
    const text = Buffer.from(await answer.arrayBuffer());
    outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
