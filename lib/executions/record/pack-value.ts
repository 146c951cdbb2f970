import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { BlobStore } from './blob-store.ts';

interface PackOptions {
  /** UTF-8 bytes that the packed text may take. */
  readonly limitBytes: number;
  /** Where it goes when it is too large even when compressed. */
  readonly key: string;
  readonly blobs: BlobStore;
}

/** What is unpacked takes no more than this, whatever it was packed as. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;

const compress = promisify(gzip);
const inflate = promisify(gunzip);

/**
 * Makes a text small enough for where it is to be kept: as it is, compressed, or as a pointer to a blob. The first
 * character says which: `j`, `z` (gzip, RFC 1952, in base64) or `b`.
 * Rejects with AppError `STORE_UNAVAILABLE`.
 */
export const packText = async (text: string, { limitBytes, key, blobs }: PackOptions): Promise<string> => {
  if (Buffer.byteLength(text) < limitBytes) return `j${text}`;
  const compressed = await compress(text);
  if (Math.ceil(compressed.length / 3) * 4 < limitBytes) return `z${compressed.toString('base64')}`;
  await blobs.put(key, compressed);
  return `b${key}`;
};

/** Rejects with AppError `STORE_UNAVAILABLE`, and with an Error that names the key when the blob is gone. */
export const unpackText = async (
  packed: string,
  blobs: Pick<BlobStore, 'get'>,
  maxBytes = MAX_UNPACKED_BYTES,
): Promise<string> => {
  const rest = packed.slice(1);
  switch (packed[0]) {
    case 'j':
      return rest;
    case 'z':
      return inflateText(Buffer.from(rest, 'base64'), maxBytes);
    case 'b': {
      const blob = await blobs.get(rest);
      if (blob === null) throw new Error(`the blob ${rest} is gone`);
      return inflateText(blob, maxBytes);
    }
    default:
      throw new Error('this is no packed text');
  }
};

const inflateText = async (bytes: Uint8Array, maxBytes: number): Promise<string> =>
  (await inflate(bytes, { maxOutputLength: maxBytes })).toString('utf8');
