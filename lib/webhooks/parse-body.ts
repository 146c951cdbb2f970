import type { JsonValue } from '@hookloom/plugin-kit';
import { BODY_INVALID } from '../shared/error-catalogue.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { limitControls } from './body/limit-controls.ts';
import { parseUrlEncoded } from './parse-url-encoded.ts';
import type { WebhookRequest } from './webhook.ts';

type ParseText = (text: string) => JsonValue;

/**
 * Parses a request body by its content type: JSON, a form, or text; bytes that are not UTF-8 become base64.
 *
 * @param parseJson - parses text declared as JSON
 * @param parseUntyped - parses text without a content type
 * @throws AppError `BODY_INVALID` when the body does not match its content type, and whatever the parsers throw
 */
export const parseBody = (
  { headers, rawBody }: Pick<WebhookRequest, 'headers' | 'rawBody'>,
  parseJson: ParseText,
  parseUntyped: ParseText = parseJson,
): JsonValue => {
  if (rawBody.length === 0) return {};
  refuseEncoded(headers['content-encoding']);
  const contentType = headers['content-type'] ?? '';
  const mediaType = toMediaType(contentType);
  const text = decodeUtf8(rawBody);
  if (text !== null) limitControls(text);
  if (isJson(mediaType)) return parseJson(text ?? refuse('it is not UTF-8'));
  if (mediaType === FORM) {
    return parseUrlEncoded(text ?? refuse('it is not UTF-8'));
  }
  if (text === null) return { base64: Buffer.from(rawBody).toString('base64'), contentType };
  return mediaType === '' ? parseUntyped(text) : text;
};

const FORM = 'application/x-www-form-urlencoded';

/** Whether a body was sent by an HTML form. */
export const isForm = (headers: WebhookRequest['headers']): boolean =>
  toMediaType(headers['content-type'] ?? '') === FORM;

/** Parses JSON, and returns any other text unchanged: RFC 9110 §8.3 lets a recipient examine untyped content. */
export const orText =
  (parseJson: ParseText): ParseText =>
  (text) => {
    try {
      return parseJson(text);
    } catch (error) {
      if (isAppError(error)) return text;
      throw error;
    }
  };

/** Trimmed, lower-case, without parameters (RFC 9110 §8.3.1). A malformed type stays malformed, so it is not JSON. */
export const toMediaType = (contentType: string): string => {
  const [mediaType = ''] = contentType.split(';', 1);
  return mediaType.trim().toLowerCase();
};

/** Whether a media type is `application/json` or has the suffix `+json` (RFC 6839 §3.1). */
export const isJson = (mediaType: string): boolean =>
  mediaType === 'application/json' || /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json$/.test(mediaType);

/** Refuses compressed bodies of callbacks, since inflating needs a limit: see `body/inflate-body.chunk.ts`. */
const refuseEncoded = (encoding = ''): void => {
  if (!['', 'identity'].includes(encoding.trim().toLowerCase())) refuse('it must not be compressed');
};

/** Decodes UTF-8; null for other bytes. Drops a byte order mark, as RFC 8259 §8.1 allows. */
const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};

const refuse = (reason: string): never => {
  throw new AppError(BODY_INVALID, { reason });
};
