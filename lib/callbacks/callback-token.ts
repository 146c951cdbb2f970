import { createHmac, timingSafeEqual } from 'node:crypto';

/** What an address for an answer is about. */
interface CallbackToken {
  readonly executionId: string;
  /** Which of the execution's places. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * The last segment of an address at which a run is answered: what it is about, and an HMAC-SHA256 (RFC 2104) of that
 * under a key that only this execution's record holds. `executionId.expiry.name.signature`, each of `A-Z a-z 0-9 - _`.
 */
export const signToken = (token: CallbackToken, key: string): string => {
  const text = toText(token);
  return `${text}.${sign(text, key)}`;
};

/** What a token says of itself, still to be verified; null for what is none. */
export const readToken = (text: string): CallbackToken | null => {
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
  // One spelling only: what reads the same but is written otherwise is none of ours.
  return text.startsWith(`${toText(token)}.`) ? token : null;
};

/** Was this very text signed with the key? In constant time. */
export const isSignedBy = (text: string, key: string): boolean => {
  const end = text.lastIndexOf('.');
  const presented = Buffer.from(text.slice(end + 1));
  const expected = Buffer.from(sign(text.slice(0, end), key)); // as text: decoded, four spellings would be the same
  return presented.length === expected.length && timingSafeEqual(presented, expected);
};

const toText = ({ executionId, name, expiresAt }: CallbackToken): string =>
  `${executionId}.${expiresAt.toString(36)}.${Buffer.from(name).toString('base64url')}`;

const sign = (text: string, key: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');
