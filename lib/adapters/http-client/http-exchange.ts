import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Hop } from './redirect.ts';
import { frameBody, writeBody } from './request-body.ts';
import { isDecodable, streamBody } from './response-body.ts';

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
 * Lower-case names, with the values of a repeated name joined by `, `. Not `response.headers`, which drops some
 * repeated headers.
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
