import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import type { ClientCertificate, OutboundRequest } from '@hookloom/plugin-kit';
import { OUTBOUND_FAILED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';

/** One request in a chain of redirects, with header names in lower case. */
export interface Hop extends RequestBody {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls?: ClientCertificate | undefined;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The headers that are sent on a redirect to another origin. A list of harmless ones, since any other header may carry
 * a key (`authorization`, `cookie`, `x-api-key`, `private-token`, …).
 */
const harmless: ReadonlySet<string> = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

export const isRedirect = (status: number): boolean => redirectStatuses.has(status);

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
export const frameBody = ({ body, bodyBytes }: RequestBody): Readonly<Record<string, string | number>> => {
  if (body === null) return {};
  if (!isStream(body)) return { 'content-length': Buffer.byteLength(body) };
  return bodyBytes === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': bodyBytes };
};

/**
 * Writes the body at the pace of the connection, and ends the request. An error of a stream destroys the request; a
 * stream is closed with the request, however far it was read.
 * @param target - names the request in errors
 */
export const writeBody = (
  outgoing: ClientRequest,
  { body, bodyBytes }: RequestBody,
  target: string,
): void => {
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
