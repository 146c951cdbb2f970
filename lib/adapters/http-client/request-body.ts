import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import type { OutboundRequest } from '@hookloom/plugin-kit';
import { OUTBOUND_FAILED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';

/** The body of a request, and the length of a stream if it is known. */
export type RequestBody = Pick<OutboundRequest, 'body' | 'bodyBytes'>;

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
