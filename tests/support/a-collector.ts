import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Span, toTracesBody } from '../../lib/executions/traces/otlp.ts';

/** What OpenTelemetry generates from its protocol with protobufjs: it ignores what the protocol does not have. */
interface MessageType {
  fromObject(object: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): object;
}

// Without types, which the package's other dependencies would need.
const generated = createRequire(import.meta.url)(
  '@opentelemetry/otlp-transformer/build/src/generated/root.js',
);
const Request: MessageType = generated.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

const ids = new Set(['traceId', 'spanId', 'parentSpanId']);
const recode = (object: object, from: BufferEncoding, to: BufferEncoding): object =>
  JSON.parse(JSON.stringify(object), (key, value) =>
    ids.has(key) ? Buffer.from(value, from).toString(to) : value,
  );

/** The request as JSON after a collector has decoded it: ids, which only JSON has in hexadecimal, times as texts. */
export const decode = (json: string): object => {
  const message = Request.fromObject(recode(JSON.parse(json), 'hex', 'base64'));
  const decoded = Request.decode(Request.encode(message).finish());
  return recode(
    Request.toObject(decoded, { longs: String, bytes: String, enums: Number, arrays: true }),
    'base64',
    'hex',
  );
};

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: object }[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** Values of attributes by their names. */
export const valuesOf = (attributes: readonly { readonly key: string; readonly value: object }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it was sent: see {@link toTracesBody}. */
  readonly json: string;
  readonly spans: readonly Span[];
  readonly resource: Readonly<Record<string, unknown>>;
}

/**
 * A collector on a free port of the loopback interface.
 * @param answers - what it answers first; from then on, it takes all
 */
export const aCollector = async (answers: readonly Answer[] = []) => {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    const json = gunzipSync(bytes).toString();
    const { resourceSpans } = decode(json) as Body;
    const [first] = resourceSpans;
    received.push({
      method: request.method,
      url: request.url,
      headers: request.headers,
      json,
      spans: resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      resource: valuesOf(first?.resource.attributes ?? []),
    });
    const { status, headers = {}, body = '{}' } = answers[received.length - 1] ?? { status: 200 };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    received,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
