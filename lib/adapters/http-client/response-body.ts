import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { OUTBOUND_FAILED, OUTBOUND_TOO_LARGE } from '../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { toOutboundFailure } from './outbound-failure.ts';

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
export const isDecodable = (contentEncoding: string): boolean => decoders.has(contentEncoding.toLowerCase());

/**
 * Reads the body of a response, decoded. Reading throws AppError `OUTBOUND_TOO_LARGE` beyond the limit, and
 * `OUTBOUND_FAILED` if the connection breaks or the body does not match its encoding.
 */
export const streamBody = (
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
    throw new AppError(OUTBOUND_FAILED, { target: receiving.target, reason }, error);
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
