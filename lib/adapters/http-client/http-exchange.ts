import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { AppError } from '../../shared/errors.ts';
import type { Hop } from './redirect.ts';
import { decodeBody, isDecodable, readBody } from './response-body.ts';

/** Sends one request and resolves with the head of its answer; follows nothing, checks nothing. */
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
    // Uncompressed by wish, so that the limit on bytes is the limit on what is downloaded.
    const headers = { ...hop.headers, 'accept-encoding': 'identity', ...length };
    const outgoing = request(hop.url, { ...connection, method: hop.method, headers });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    // Nothing but this comes when the server switches protocols (101) unasked; after an answer it changes nothing.
    outgoing.on('close', () => reject(new Error('closed without an answer')));
    outgoing.end(hop.body ?? undefined);
  });

/** Names in lower case, values of a repeated name joined with `, `. Not `response.headers`, which drops some repeats. */
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
 * Reads the rest of an answer. A server that compresses although it was asked not to (object stores do) is
 * understood; `content-encoding` and `content-length`, which tell of the compressed bytes, are then left out.
 * Throws `OUTBOUND_TOO_LARGE`, and `OUTBOUND_FAILED` for a body that its encoding does not fit.
 */
export const receiveResponse = async (
  response: IncomingMessage,
  { target, limitBytes }: { readonly target: string; readonly limitBytes: number },
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
  { target, limitBytes }: { readonly target: string; readonly limitBytes: number },
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
