import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { AppError } from '../../shared/errors.ts';
import type { Hop } from './redirect.ts';
import { decodeBody, isDecodable, readBody } from './response-body.ts';

/**
 * Sends one request, without checks and without following redirects.
 * @returns the response, its body still to be read
 */
export const sendHop = (
  hop: Hop,
  connection: {
    readonly agent: http.Agent;
    readonly lookup: LookupFunction;
    readonly signal: AbortSignal;
  },
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { request } = hop.url.protocol === 'https:' ? https : http;
    const length = hop.body === null ? {} : { 'content-length': Buffer.byteLength(hop.body) };
    // Uncompressed, so that the limit on bytes is the limit on what is downloaded.
    const headers = { ...hop.headers, 'accept-encoding': 'identity', ...length };
    const outgoing = request(hop.url, { ...connection, method: hop.method, headers });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    // The only event when the server switches protocols (101) unasked; without effect after a response.
    outgoing.on('close', () => reject(new Error('closed without an answer')));
    outgoing.end(hop.body ?? undefined);
  });

/** Names in lower case, values of a repeated name joined by `, `. Not `response.headers`, which drops some repeats. */
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

interface Receiving {
  readonly target: string;
  readonly limitBytes: number;
}

/**
 * Reads the body of a response. Some servers compress although they were asked not to (object stores do): their
 * bodies are decoded, and `content-encoding` and `content-length`, which describe the compressed bytes, left out.
 * @throws AppError `OUTBOUND_TOO_LARGE` beyond the limit, `OUTBOUND_FAILED` when the body does not fit its encoding
 */
export const receiveResponse = async (
  response: IncomingMessage,
  { target, limitBytes }: Receiving,
): Promise<{ headers: Readonly<Record<string, string>>; body: Uint8Array }> => {
  const headers = readHeaders(response);
  const encoding = headers.get('content-encoding') ?? 'identity';
  const bytes = await readBody(response, limitBytes);
  const body = bytes && (await decode(bytes, encoding, { target, limitBytes }));
  if (body === null) throw new AppError('OUTBOUND_TOO_LARGE', { target, limitBytes });
  if (isDecodable(encoding)) for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  return { headers: Object.fromEntries(headers), body };
};

const decode = async (
  bytes: Buffer,
  encoding: string,
  { target, limitBytes }: Receiving,
): Promise<Buffer | null> => {
  try {
    return await decodeBody(bytes, encoding, limitBytes);
  } catch (error) {
    throw new AppError(
      'OUTBOUND_FAILED',
      { target, reason: 'the body does not fit its content encoding' },
      error,
    );
  }
};
