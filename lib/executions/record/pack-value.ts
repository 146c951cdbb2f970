import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { BlobStore } from './blob-store.ts';

interface PackOptions {
  /** Size of the packed text, UTF-8 bytes. */
  readonly limitBytes: number;
  /** Key of the blob, if the compressed text is too large. */
  readonly key: string;
  readonly blobs: Pick<BlobStore, 'put'>;
}

/**
 * Shorter texts are not worth the time; longer ones, uncompressed, would make their item larger than one write unit.
 */
const COMPRESSED_FROM_BYTES = 700;

const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;
/**
 * Bytes in one piece of inflated data: with the default of 16 kB, collecting the pieces takes several times as long as
 * inflating them.
 */
const CHUNK_BYTES = 256 * 1024;

const compress = promisify(gzip);
const inflate = promisify(gunzip);

/**
 * Packs a text for an attribute of limited size. The first character is the format: `j` for the text itself, `z` for
 * gzip (RFC 1952) in base64, `b` for the key of a blob. `packRefusal` uses `x`.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const packText = async (text: string, { limitBytes, key, blobs }: PackOptions): Promise<string> => {
  const short = Math.min(COMPRESSED_FROM_BYTES, limitBytes);
  if (text.length < short && Buffer.byteLength(text) < short) return `j${text}`;
  const compressed = await compress(text, { level: constants.Z_BEST_SPEED }); // the default takes twice the CPU time
  if (Math.ceil(compressed.length / 3) * 4 < limitBytes) return `z${compressed.toString('base64')}`;
  await blobs.put(key, compressed);
  return `b${key}`;
};

/** Whether a packed text is the key of a blob. */
const isInBlob = (packed: string): boolean => packed.startsWith('b');

/** @returns the key of the blob that a packed text names; null if it names none */
export const blobKeyOf = (packed: string): string | null => (isInBlob(packed) ? packed.slice(1) : null);

/** @throws AppError `STORE_UNAVAILABLE`, or an Error that names the key of a missing blob */
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
      if (blob === null) throw new Error(`the blob ${rest} no longer exists`);
      return inflateText(blob, maxBytes);
    }
    default:
      throw new Error('this is not a packed text');
  }
};

const inflateText = async (bytes: Uint8Array, maxBytes: number): Promise<string> =>
  (await inflate(bytes, { maxOutputLength: maxBytes, chunkSize: CHUNK_BYTES })).toString('utf8');
