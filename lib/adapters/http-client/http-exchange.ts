import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { ClientCertificate, OutboundRequest } from '@hookloom/plugin-kit';
import { OUTBOUND_FAILED, OUTBOUND_TOO_LARGE } from '../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { toOutboundFailure } from './outbound-failure.ts';

/** One request in a chain of redirects, with header names in lower case. */
export interface Hop extends RequestBody {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls?: ClientCertificate | undefined;
}

/** The statuses of a redirect. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The headers that are sent on a redirect to another origin. A list of harmless ones, since any other header may carry
 * a key (`authorization`, `cookie`, `x-api-key`, `private-token`, …).
 */
const harmless: ReadonlySet<string> = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/**
 * The request after a redirect (RFC 9110 §15.4): a GET after a 303, and after a 301 or 302 of a POST, as in all
 * clients; the same request after a 307 or 308. Null if `location` is not a URL.
 */
export const followRedirect = (hop: Hop, status: number, location: string): Hop | null => {
  const url = URL.parse(location, hop.url.href);
  if (url === null) return null;
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST';
  const kept = Object.entries(hop.headers).filter(
    ([name]) =>
      (url.origin === hop.url.origin || harmless.has(name)) && !(becomesGet && name.startsWith('content-')),
  );
  return {
    method: becomesGet ? 'GET' : hop.method,
    url,
    headers: Object.fromEntries(kept),
    body: becomesGet ? null : hop.body,
    tls: url.origin === hop.url.origin ? hop.tls : undefined,
  };
};

/** The body of a request, and the length of a stream if it is known. */
type RequestBody = Pick<OutboundRequest, 'body' | 'bodyBytes'>;

/** Whether a body can be sent only once. */
export const isStream = (body: OutboundRequest['body']): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && !(body instanceof Uint8Array);

/** The header that frames a body (RFC 9112 §6). Explicit, since for some methods Node sends none with a stream. */
const frameBody = ({ body, bodyBytes }: RequestBody): Readonly<Record<string, string | number>> => {
  if (body === null) return {};
  if (!isStream(body)) return { 'content-length': Buffer.byteLength(body) };
  return bodyBytes === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': bodyBytes };
};

/**
 * Writes the body at the pace of the connection, and ends the request. An error of a stream destroys the request; a
 * stream is closed with the request, however far it was read.
 * @param target - names the request in errors
 */
const writeBody = (outgoing: ClientRequest, { body, bodyBytes }: RequestBody, target: string): void => {
  if (!isStream(body)) {
    outgoing.end(body ?? undefined);
    return;
  }
  const content = Readable.from(bodyBytes === undefined ? body : checkLength(body, bodyBytes, target));
  content.on('error', (error) => outgoing.destroy(error));
  outgoing.on('close', () => content.destroy());
  // If the answer arrives before the end of the body, the rest is not sent.
  outgoing.on('response', (response) =>
    response.on('close', () => {
      if (!outgoing.writableFinished) outgoing.destroy();
    }),
  );
  content.pipe(outgoing);
};

const checkLength = async function* (
  body: AsyncIterable<Uint8Array>,
  bodyBytes: number,
  target: string,
): AsyncGenerator<Uint8Array> {
  const mismatch = () =>
    new AppError(OUTBOUND_FAILED, { target, reason: 'its body does not have the stated length' });
  let sent = 0;
  for await (const chunk of body) {
    sent += chunk.byteLength;
    if (sent > bodyBytes) throw mismatch();
    yield chunk;
  }
  if (sent < bodyBytes) throw mismatch();
};

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
    // Part of the name under which an agent keeps a connection, so that it serves no request with another certificate.
    const tls = hop.tls && { cert: hop.tls.certificate, key: hop.tls.key, passphrase: hop.tls.passphrase };
    const outgoing = request(hop.url, { ...connection, ...tls, method: hop.method, headers });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    // The only event when the server switches protocols (101) unasked; without effect after a response.
    outgoing.on('close', () => reject(new Error('closed without an answer')));
    writeBody(outgoing, hop, target);
  });

/**
 * Opens a response. Header names are in lower case, and the values of a repeated name are joined by `, `. Some servers,
 * such as object stores, compress although they were asked not to. Their bodies are decoded, and `content-encoding` and
 * `content-length`, which describe the compressed bytes, are removed.
 * @returns the body, decoded: reading it throws AppError `OUTBOUND_TOO_LARGE` beyond the limit, and `OUTBOUND_FAILED` if the
 * connection breaks or the body does not match its encoding
 */
export const openResponse = (
  response: IncomingMessage,
  receiving: Receiving,
): { readonly headers: Readonly<Record<string, string>>; readonly content: AsyncIterable<Uint8Array> } => {
  const headers = new Map<string, string>();
  // Not `response.headers`, which drops some repeated headers.
  const { rawHeaders } = response;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = String(rawHeaders[index]).toLowerCase();
    const value = String(rawHeaders[index + 1]);
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  const decoder = decoders.get(encoding.toLowerCase())?.();
  if (decoder !== undefined) for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  return {
    headers: Object.fromEntries(headers),
    content:
      decoder === undefined ? receiveBytes(response, receiving) : decodeBody(response, decoder, receiving),
  };
};

/**
 * How long a connection may be idle, in milliseconds: servers close idle ones after 5 s, and after a freeze they may
 * look open although they are not.
 */
const staleAfterMs = 4_000;

/**
 * Agents that keep connections open between requests. Idle connections don't keep the process alive (Node unrefs them)
 * and close after 15 s. If nothing was sent for a while, by the wall clock, the next request opens a new one.
 */
export const createAgents = (now: () => number) => {
  const options = { keepAlive: true, maxFreeSockets: 16, timeout: 15_000 };
  const plain = new http.Agent(options);
  const secure = new https.Agent(options);
  let lastUse = now();
  return {
    /** The agent for the next request to a URL of this protocol. */
    for: (protocol: string): http.Agent => {
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

const decodeBody = async function* (
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
