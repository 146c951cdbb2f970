import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { BODY_INVALID, BODY_TOO_LARGE, BODY_UNSUPPORTED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import type { SentBody } from './parse-body.ts';
import type { Arrival } from './webhook-feature.ts';

/** Inflates bytes. With `info`, which Node's types lack, the result includes how many bytes the inflater has read. */
type Inflate = (
  bytes: Uint8Array,
  options: ZlibOptions & { readonly info: true },
) => Promise<{ readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } }>;

const toInflater = (inflater: unknown): Inflate =>
  promisify(inflater as typeof inflate) as unknown as Inflate;

const toInflate = toInflater(inflate);
const toInflateRaw = toInflater(inflateRaw);

/**
 * The inflaters, by the names of RFC 9110 §8.4.1. Consecutive gzip members form one body (RFC 1952 §2.2). `deflate` is
 * the zlib format; some senders omit its two-byte header.
 */
const codings: Readonly<Record<string, Inflate>> = {
  gzip: toInflater(gunzip),
  'x-gzip': toInflater(gunzip),
  br: toInflater(brotliDecompress),
  deflate: (bytes, options) => (hasZlibHeader(bytes) ? toInflate : toInflateRaw)(bytes, options),
};

/**
 * Bytes in one chunk of inflated data: with the default of 16 kB, concatenating the chunks takes several times as long
 * as inflating them.
 */
const CHUNK_BYTES = 256 * 1024;

/**
 * Inflates a body by its `Content-Encoding`. The limit applies while inflating, so a larger body is never in memory.
 * Only one coding is allowed: a body compressed twice is meant to hide its size.
 *
 * @returns the request with the inflated body, without `content-encoding`
 * @throws AppError `BODY_UNSUPPORTED` for any other coding; `BODY_INVALID` for bytes that are not in that coding, are
 *   truncated, or have trailing data, which some readers would see and others not; `BODY_TOO_LARGE`
 */
export const inflateBody = async <Request extends SentBody>(
  request: Request,
  { limitBytes, addHeaders }: Pick<Arrival, 'addHeaders'> & { readonly limitBytes: number },
): Promise<Request> => {
  const { 'content-encoding': encoding = '', ...headers } = request.headers;
  const { rawBody } = request;
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity' || rawBody.length === 0) return { ...request, headers };
  const coding = Object.hasOwn(codings, name) ? codings[name] : undefined;
  if (coding === undefined) {
    addHeaders({ 'accept-encoding': 'gzip, br, deflate' }); // RFC 9110 §15.5.16
    throw new AppError(BODY_UNSUPPORTED, { reason: 'its content encoding must be gzip, br or deflate' });
  }
  try {
    const options = { maxOutputLength: limitBytes, chunkSize: CHUNK_BYTES, info: true } as const;
    const { buffer, engine } = await coding(rawBody, options);
    if (engine.bytesWritten < rawBody.length) throw new Error('trailing bytes');
    return { ...request, headers, rawBody: buffer };
  } catch (error) {
    if (isTooLarge(error)) throw new AppError(BODY_TOO_LARGE, { limitBytes });
    const reason = `it is not valid ${name}, is truncated, or has trailing bytes`;
    throw new AppError(BODY_INVALID, { reason }, error);
  }
};

/** RFC 1950 §2.2: the compression method is 8, and the first two bytes are a multiple of 31. */
const hasZlibHeader = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;

const isTooLarge = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
