import { MIMEType } from 'node:util';
import { BODY_INVALID, BODY_UNSUPPORTED } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';
import { decodeUtf8, hasManyControls, limitControls } from '../../parse-body.ts';

/** The `charset` of a content type; undefined without one, or for an invalid content type. */
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
 * @throws AppError `BODY_UNSUPPORTED` for an unknown charset; `BODY_INVALID` for bytes not valid in it, and for too
 *   many control characters
 */
export const decodeText = (bytes: Uint8Array, charset = 'utf-8'): string => {
  const decoder = createDecoder(charset);
  if (decoder === null) throw new AppError(BODY_UNSUPPORTED, { reason: 'its charset is unknown' });
  const text = decode(decoder, bytes);
  limitControls(text);
  return text;
};

/** Decodes UTF-8 losslessly; null for other bytes, and for too many control characters. */
export const decodeExactly = (bytes: Uint8Array): string | null => {
  const text = decodeUtf8(bytes, { keepsMark: true });
  return text === null || hasManyControls(text) ? null : text;
};

const decode = (decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new AppError(BODY_INVALID, { reason: `it is not ${decoder.encoding.toUpperCase()}` });
  }
};

const createDecoder = (charset: string) => {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return null;
  }
};
