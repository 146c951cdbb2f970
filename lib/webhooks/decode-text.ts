import { MIMEType } from 'node:util';
import { BODY_INVALID, BODY_UNSUPPORTED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { decodeUtf8, hasManyControls, limitControls } from './parse-body.ts';

/** The `charset` of a content type; undefined without one, or for an invalid content type. */
export const readCharset = (contentType: string): string | undefined => {
  try {
    return new MIMEType(contentType.split(',', 1).join()).params.get('charset') ?? undefined;
  } catch {
    return undefined;
  }
};

/**
 * Decodes text, without its byte order mark.
 *
 * @param charset - a label of https://encoding.spec.whatwg.org/#names-and-labels
 * @throws AppError `BODY_UNSUPPORTED` for an unknown charset; `BODY_INVALID` for bytes not valid in it, and for too
 *   many control characters
 */
export const decodeText = (bytes: Uint8Array, charset = 'utf-8'): string => {
  const decoder = createDecoder(charset);
  if (decoder === null) throw new AppError(BODY_UNSUPPORTED, { reason: 'its charset is unknown' });
  const text = decodeBytes(decoder, bytes);
  limitControls(text);
  return text;
};

/** Decodes UTF-8 losslessly; null for other bytes, and for too many control characters. */
export const decodeExactly = (bytes: Uint8Array): string | null => {
  const text = decodeUtf8(bytes, { keepsMark: true });
  return text === null || hasManyControls(text) ? null : text;
};

/** Bytes in a body. */
export type Bytes = { readonly base64: string };

/**
 * Creates a function that decodes text losslessly, with its byte order mark, by the first charset that is known: UTF-8
 * without one. It returns the bytes if they are not valid in the charset.
 */
export const createToText = (
  charsets: readonly (string | undefined)[],
): ((bytes: Uint8Array) => string | Bytes) => {
  const decoder = findDecoder(charsets);
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch {
      return { base64: Buffer.from(bytes).toString('base64') };
    }
  };
};

/** Creates a function that decodes a name, which can't be kept as bytes: it falls back to windows-1252. */
export const createToName = (charset: string | undefined): ((bytes: Uint8Array) => string) => {
  const toText = createToText([charset]);
  return (bytes) => {
    const text = toText(bytes);
    return typeof text === 'string' ? text : new TextDecoder('windows-1252').decode(bytes);
  };
};

const findDecoder = (charsets: readonly (string | undefined)[]) => {
  for (const charset of charsets) {
    const decoder = charset === undefined ? null : createDecoder(charset, true);
    if (decoder !== null) return decoder;
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
};

const decodeBytes = (decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new AppError(BODY_INVALID, { reason: `it is not ${decoder.encoding.toUpperCase()}` });
  }
};

const createDecoder = (charset: string, ignoreBOM = false) => {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM });
  } catch {
    return null;
  }
};
