import { createHmac } from 'node:crypto';

/** Pattern of tokens that senders ask to have signed: UUIDs, base64url and base64 of them. */
const TOKEN = /^[A-Za-z0-9_-]{16,200}={0,2}$/;
const MAX_LENGTH = 202;
const LOWER_HEX = /^[0-9a-f]*$/;

/**
 * Whether a text is a handshake token. Some senders sign handshakes and deliveries with the same secret, so a token
 * must never count as a delivery: a caller could have the webhook itself sign it. Hence both sides share this rule: a
 * handshake signs nothing but tokens ({@link signToken}), and every webhook refuses signed content that is a token.
 *
 * Digits only (a JSON number, a timestamp) and lower-case hexadecimal strings are excluded: senders sign these as
 * content.
 */
export const isHandshakeToken = (pieces: readonly (string | Uint8Array)[]): boolean => {
  let length = 0;
  for (const piece of pieces) {
    length += piece.length;
    if (length > MAX_LENGTH) return false;
  }
  const text = pieces.map((piece) => Buffer.from(piece).toString('latin1')).join('');
  return TOKEN.test(text) && !LOWER_HEX.test(text);
};

/** The HMAC of a token; null for any other text, which is never signed. */
export const signToken = (token: unknown, secret: string, encoding: 'hex' | 'base64'): string | null =>
  typeof token === 'string' && isHandshakeToken([token])
    ? createHmac('sha256', secret).update(token).digest(encoding)
    : null;
