import { MIMEType } from 'node:util';
import { AppError } from '../../../shared/errors.ts';

/** The `charset` of a content type; undefined without one, and for what is no content type. */
export const readCharset = (contentType: string): string | undefined => {
  try {
    return new MIMEType(contentType).params.get('charset') ?? undefined;
  } catch {
    return undefined;
  }
};

/**
 * Decodes text, without its byte order mark.
 *
 * @param charset - a label of https://encoding.spec.whatwg.org/#names-and-labels
 * @throws AppError `BODY_UNSUPPORTED` for another charset, `BODY_INVALID` for bytes that are none of its
 */
export const decodeText = (bytes: Uint8Array, charset = 'utf-8'): string => {
  const decoder = createDecoder(charset);
  if (decoder === null) throw new AppError('BODY_UNSUPPORTED', { reason: 'its charset is not known' });
  try {
    return decoder.decode(bytes);
  } catch {
    const name = decoder.encoding.toUpperCase();
    throw new AppError('BODY_INVALID', { reason: `it is not ${name}` });
  }
};

/** UTF-8 as text from which the same bytes can be made; null for other bytes. */
export const decodeExactly = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
};

const createDecoder = (charset: string) => {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return null;
  }
};
