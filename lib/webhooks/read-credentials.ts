import type { Presented } from '../credentials/verify.ts';
import type { WebhookRequest } from './webhook-request.ts';

type Headers = WebhookRequest['headers'];

/**
 * Reads `x-api-key` or, without that header, `Authorization: Bearer` (RFC 6750 §2.1). Null when the key is missing or
 * empty. A header that was sent twice arrives joined by a comma, and so matches no key.
 */
export const readApiKey = (headers: Headers): Presented | null => {
  const secret = headers['x-api-key'] ?? matchOf(/^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i, headers.authorization);
  return secret === undefined || secret === '' ? null : { username: null, secret };
};

/**
 * Reads `Authorization: Basic` (RFC 7617): base64 of `user:password` in UTF-8, split at the first colon. Null for
 * anything else. Checks the alphabet first, since Node's decoder skips illegal characters and accepts the URL-safe
 * alphabet, and then the bytes, which may be in another encoding.
 */
export const readBasic = (headers: Headers): Presented | null => {
  const token = matchOf(/^Basic +([A-Za-z0-9+/]+={0,2})$/i, headers.authorization);
  const text = token === undefined ? null : decodeUtf8(Buffer.from(token, 'base64'));
  const colon = text?.indexOf(':') ?? -1;
  if (text === null || colon < 0) return null;
  return { username: text.slice(0, colon), secret: text.slice(colon + 1) };
};

const matchOf = (pattern: RegExp, text = ''): string | undefined => pattern.exec(text)?.[1];

const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
};
