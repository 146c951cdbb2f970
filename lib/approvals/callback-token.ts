import { createHmac, timingSafeEqual } from 'node:crypto';

/** The content of a callback URL. */
interface CallbackToken {
  readonly executionId: string;
  /** Name of the pending callback within the execution: see `CallbackUrls.open`. */
  readonly name: string;
  /**
   * When the URL expires, in milliseconds since the epoch. This is the time as issued, since a question that is asked
   * again gets more time.
   */
  readonly expiresAt: number;
}

/**
 * The last segment of a callback URL: `executionId.expiry.name.signature`, each of `A-Z a-z 0-9 - _`. The signature is
 * HMAC-SHA256 (RFC 2104) under a key that is stored only in this execution's record.
 */
export const signToken = (token: CallbackToken, key: string): string => {
  const text = encodeToken(token);
  return `${text}.${signText(text, key)}`;
};

/** Parses a token without verifying its signature; null for malformed text. */
export const parseToken = (text: string): CallbackToken | null => {
  const match = /^([A-Za-z0-9_-]{1,64})\.([0-9a-z]{1,11})\.([A-Za-z0-9_-]{1,1000})\.[A-Za-z0-9_-]{43}$/.exec(
    text,
  );
  if (match === null) return null;
  const [, executionId = '', expiry = '', name = ''] = match;
  const token = {
    executionId,
    expiresAt: Number.parseInt(expiry, 36),
    name: Buffer.from(name, 'base64url').toString(),
  };
  // Canonical form only: other encodings of the same values are refused.
  return text.startsWith(`${encodeToken(token)}.`) ? token : null;
};

/** Verifies the signature of a token, in constant time. */
export const hasValidSignature = (text: string, key: string): boolean => {
  const end = text.lastIndexOf('.');
  const presented = Buffer.from(text.slice(end + 1));
  const expected = Buffer.from(signText(text.slice(0, end), key)); // compared as text: four encodings decode to the same bytes
  return presented.length === expected.length && timingSafeEqual(presented, expected);
};

const encodeToken = ({ executionId, name, expiresAt }: CallbackToken): string =>
  `${executionId}.${expiresAt.toString(36)}.${Buffer.from(name).toString('base64url')}`;

const signText = (text: string, key: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');
