import { promisify, types } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

const decoders = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** All bytes of the stream; null, and the stream destroyed, as soon as there are more than `limitBytes`. */
export const readBody = async (
  stream: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<Buffer | null> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > limitBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
};

/** Whether {@link decodeBody} knows this content encoding. */
export const isDecodable = (contentEncoding: string): boolean => decoders.has(contentEncoding.toLowerCase());

/**
 * Decodes a body; null when the result would be larger than `limitBytes`, however small the body is.
 * @throws Error when the body does not fit its encoding
 */
export const decodeBody = async (
  bytes: Buffer,
  contentEncoding: string,
  limitBytes: number,
): Promise<Buffer | null> => {
  const decode = decoders.get(contentEncoding.toLowerCase());
  if (decode === undefined || bytes.length === 0) return bytes;
  try {
    return await decode(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    if (types.isNativeError(error) && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
};
