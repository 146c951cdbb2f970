import { createHmac } from 'node:crypto';
import { Refusal } from '../../../shared/refusal.ts';
import type { SignatureRule } from '../../../workflows/webhook-rules/signature/schema.ts';
import type { WebhookRequest } from '../../webhook-request.ts';
import { isHandshakeToken } from '../sender/handshake-token.ts';
import { isEqual } from '../sender/is-equal.ts';

/** Whether the request is signed with a secret. @throws Error when nothing can be signed with it */
type IsSignedWith = (secret: string) => boolean | Promise<boolean>;

/**
 * Reads how a request is signed, before any secret is read.
 *
 * @param now - milliseconds since the epoch
 * @throws Refusal when it is not signed, or at another time
 */
type ReadSignature = (request: WebhookRequest, now: number) => IsSignedWith;

/** How a sender signs its requests. */
export type Scheme = (rule: SignatureRule) => ReadSignature;

/** A sender signs with two secrets at most while it replaces one. */
const MAX_SIGNATURES = 10;

/** @throws Refusal when the request lacks it */
export const readHeader = ({ headers }: Pick<WebhookRequest, 'headers'>, name: string): string => {
  const value = headers[name];
  if (value === undefined || value === '') throw new Refusal(`there is no header ${name}`);
  return value;
};

/** @throws Refusal when there is none, or more than {@link MAX_SIGNATURES} */
export const limitSignatures = (signatures: readonly string[]): readonly string[] => {
  if (signatures.length === 0) throw new Refusal('there is no signature of this scheme');
  if (signatures.length > MAX_SIGNATURES) throw new Refusal('there are too many signatures');
  return signatures;
};

interface Hmac {
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  readonly key: string | Uint8Array;
}

/**
 * Whether one of the signatures is the HMAC of the pieces, joined. In constant time but for the number of signatures and
 * their lengths, which the sender knows.
 *
 * @throws Refusal for what a handshake signs: see `isHandshakeToken`
 */
export const isHmac = (
  signatures: readonly string[],
  pieces: readonly (string | Uint8Array)[],
  { algorithm, encoding, key }: Hmac,
): boolean => {
  if (isHandshakeToken(pieces)) throw new Refusal('the content is a token of a handshake');
  const hmac = createHmac(algorithm, key);
  for (const piece of pieces) hmac.update(piece);
  const expected = hmac.digest(encoding);
  return signatures.some((signature) => isEqual(signature, expected));
};
