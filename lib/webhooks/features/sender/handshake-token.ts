import { createHmac } from 'node:crypto';

/** UUIDs, base64url, and base64 of them: what senders have signed to test an address. */
const TOKEN = /^[A-Za-z0-9_-]{16,200}={0,2}$/;
const MAX_LENGTH = 202;
const LOWER_HEX = /^[0-9a-f]*$/;

/**
 * Whether a text is one that a handshake signs. Some senders sign tests of an address and deliveries with one secret, so these texts
 * must never be deliveries: a caller could have the address itself sign one. Hence both ends share this rule: a handshake
 * signs nothing else ({@link signToken}), and signed content that is such a text is refused, at every webhook.
 *
 * Digits alone (a JSON number, a timestamp) and lower hexadecimal ones are excluded: senders sign these as content.
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

/** The HMAC of a token; null for a text that is none, which is never signed. */
export const signToken = (token: unknown, secret: string, encoding: 'hex' | 'base64'): string | null =>
  typeof token === 'string' && isHandshakeToken([token])
    ? createHmac('sha256', secret).update(token).digest(encoding)
    : null;
