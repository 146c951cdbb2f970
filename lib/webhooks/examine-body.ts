import type { JsonValue } from '../contract/json.ts';
import { AppError } from '../shared/errors.ts';
import { parsePairs } from './parse-pairs.ts';
import type { WebhookRequest } from './webhook-request.ts';

/**
 * What the body is, decided once, for every check and for the parser: `json` still has to be parsed, `untyped` is
 * JSON if it parses and text otherwise (RFC 9110 §8.3 lets the recipient examine it), `data` is finished.
 */
export type ExaminedBody =
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'untyped'; readonly text: string }
  | { readonly kind: 'data'; readonly value: JsonValue };

/** @throws AppError `BODY_INVALID` when the body is not what its content type says */
export const examineBody = ({
  headers,
  rawBody,
}: Pick<WebhookRequest, 'headers' | 'rawBody'>): ExaminedBody => {
  if (rawBody.length === 0) return { kind: 'data', value: {} };
  refuseEncoded(headers['content-encoding']);
  const contentType = headers['content-type'] ?? '';
  const mediaType = normalise(contentType);
  const text = decodeUtf8(rawBody);
  if (isJson(mediaType)) return { kind: 'json', text: text ?? refuse('it is not UTF-8') };
  if (mediaType === 'application/x-www-form-urlencoded') {
    return { kind: 'data', value: parsePairs(text ?? refuse('it is not UTF-8')) };
  }
  if (text === null) {
    return { kind: 'data', value: { base64: Buffer.from(rawBody).toString('base64'), contentType } };
  }
  return mediaType === '' ? { kind: 'untyped', text } : { kind: 'data', value: text };
};

/** Trimmed, in small letters, without parameters (RFC 9110 §8.3.1). What is odd stays odd, and so is not JSON. */
const normalise = (contentType: string): string => {
  const [mediaType = ''] = contentType.split(';', 1);
  return mediaType.trim().toLowerCase();
};

/** `application/json`, or a type with the suffix `+json` (RFC 6839 §3.1). */
const isJson = (mediaType: string): boolean =>
  mediaType === 'application/json' || /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json$/.test(mediaType);

/** A compressed body is never inflated: a small one can hold gigabytes. */
const refuseEncoded = (encoding = 'identity'): void => {
  if (encoding.trim() !== '' && encoding.trim().toLowerCase() !== 'identity') refuse('it is compressed');
};

/** Null when the bytes are not UTF-8. A byte order mark is left out (RFC 8259 §8.1 allows that). */
const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};

const refuse = (reason: string): never => {
  throw new AppError('BODY_INVALID', { reason });
};
