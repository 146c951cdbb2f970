import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { OUTBOUND_FAILED, OUTBOUND_TOO_LARGE } from '../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { frameBody, type Hop, writeBody } from './hop.ts';
import { toOutboundFailure } from './outbound-failure.ts';

/**
 * Sends one request, without checks and without following redirects.
 * @param target - names the request in errors
 * @returns the response, whose body has not been read yet
 */
export const sendHop = (
  hop: Hop,
  connection: {
    readonly agent: http.Agent;
    readonly lookup: LookupFunction;
    readonly signal: AbortSignal;
  },
  target: string,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { request } = hop.url.protocol === 'https:' ? https : http;
    // Uncompressed, so that the limit on bytes is the limit on what is downloaded.
    const headers = { ...hop.headers, 'accept-encoding': 'identity', ...frameBody(hop) };
    const outgoing = request(hop.url, { ...connection, ...toTlsOptions(hop), method: hop.method, headers });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    // The only event when the server switches protocols (101) unasked; without effect after a response.
    outgoing.on('close', () => reject(new Error('closed without an answer')));
    writeBody(outgoing, hop, target);
  });

/** Part of the name under which an agent keeps a connection, so that it serves no request with another certificate. */
const toTlsOptions = ({ tls }: Hop) =>
  tls === undefined ? {} : { cert: tls.certificate, key: tls.key, passphrase: tls.passphrase };

/**
 * Reads the headers with lower-case names, with the values of a repeated name joined by `, `. Not `response.headers`,
 * which drops some repeated headers.
 */
const readHeaders = ({ rawHeaders }: IncomingMessage): Map<string, string> => {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = String(rawHeaders[index]).toLowerCase();
    const value = String(rawHeaders[index + 1]);
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
};

/**
 * Opens a response. Some servers, such as object stores, compress although they were asked not to. Their bodies are
 * decoded, and `content-encoding` and `content-length`, which describe the compressed bytes, are removed.
 * @returns the body as {@link streamBody} reads it
 */
export const openResponse = (
  response: IncomingMessage,
  receiving: { readonly target: string; readonly limitBytes: number },
): { readonly headers: Readonly<Record<string, string>>; readonly content: AsyncIterable<Uint8Array> } => {
  const headers = readHeaders(response);
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (isDecodable(encoding)) for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  return { headers: Object.fromEntries(headers), content: streamBody(response, encoding, receiving) };
};

/**
 * How long a connection may be idle, in milliseconds: servers close idle ones after 5 s, and after a freeze they may
 * look open although they are not.
 */
const staleAfterMs = 4_000;

export interface Agents {
  /** The agent for the next request to a URL of this protocol. */
  for(protocol: string): http.Agent;
}

/**
 * Agents that keep connections open between requests. Idle connections don't keep the process alive (Node unrefs them)
 * and close after 15 s. If nothing was sent for a while, by the wall clock, the next request opens a new one.
 */
export const createAgents = (now: () => number): Agents => {
  const options = { keepAlive: true, maxFreeSockets: 16, timeout: 15_000 };
  const plain = new http.Agent(options);
  const secure = new https.Agent(options);
  let lastUse = now();
  return {
    for: (protocol) => {
      const idleSince = lastUse;
      lastUse = now();
      if (lastUse - idleSince > staleAfterMs) for (const agent of [plain, secure]) discardIdle(agent);
      return protocol === 'https:' ? secure : plain;
    },
  };
};

const discardIdle = (agent: http.Agent): void => {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
};

const decoders = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

interface Receiving {
  readonly target: string;
  /** Maximum size of what is received, and of what it decodes to, in bytes. */
  readonly limitBytes: number;
}

/** Whether {@link streamBody} decodes this content encoding. */
const isDecodable = (contentEncoding: string): boolean => decoders.has(contentEncoding.toLowerCase());

/**
 * Reads the body of a response, decoded. Reading throws AppError `OUTBOUND_TOO_LARGE` beyond the limit, and
 * `OUTBOUND_FAILED` if the connection breaks or the body does not match its encoding.
 */
const streamBody = (
  response: IncomingMessage,
  contentEncoding: string,
  receiving: Receiving,
): AsyncGenerator<Uint8Array> => {
  const decoder = decoders.get(contentEncoding.toLowerCase())?.();
  return decoder === undefined ? receiveBytes(response, receiving) : decode(response, decoder, receiving);
};

const receiveBytes = async function* (
  response: IncomingMessage,
  receiving: Receiving,
): AsyncGenerator<Uint8Array> {
  try {
    yield* limitBytes(response, receiving);
  } catch (error) {
    throw isAppError(error) ? error : toOutboundFailure(receiving.target, error);
  }
};

const decode = async function* (
  response: IncomingMessage,
  decoder: ReturnType<typeof createGunzip>,
  receiving: Receiving,
): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  const encoded = async function* () {
    for await (const chunk of receiveBytes(response, receiving)) {
      isEmpty = false;
      yield chunk;
    }
  };
  const decoded: AsyncIterable<Uint8Array> = pipeline(encoded, decoder, () => {}); // reading throws its errors
  try {
    yield* limitBytes(decoded, receiving);
  } catch (error) {
    if (isAppError(error)) throw error;
    if (isEmpty) return; // no body at all, as for HEAD
    const reason = 'the body does not match its content encoding';
    throw new AppError(OUTBOUND_FAILED, { target: receiving.target, reason, isAnswered: true }, error);
  } finally {
    response.destroy(); // a pipeline that waits for the next chunk does not close its source
  }
};

const limitBytes = async function* (
  source: AsyncIterable<Uint8Array>,
  { target, limitBytes }: Receiving,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > limitBytes) throw new AppError(OUTBOUND_TOO_LARGE, { target, limitBytes });
    yield chunk;
  }
};
