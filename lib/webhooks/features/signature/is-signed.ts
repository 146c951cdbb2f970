import { createHmac, type KeyObject, verify } from 'node:crypto';
import { toPublicKey, toSharedKey } from '../../../credentials/signing-keys.ts';
import { SIGNATURE_INVALID } from '../../../shared/error-catalogue.ts';
import { AppError, Refusal } from '../../../shared/errors.ts';
import { isHandshakeToken } from '../sender/handshake-token.ts';
import { isEqual } from '../sender/is-equal.ts';
import { type SignedContent, splitList } from './read-request.ts';
import type { Algorithm, Way } from './schemes.ts';

type Pieces = SignedContent['pieces'];

/** Far more than the two secrets with which senders sign during a rotation. */
const MAX_SIGNATURES = 10;

/** Whether the content is signed with a secret. @throws Error when the secret can't be used to sign */
type IsSignedWith = (secret: string) => boolean;

/** @throws Refusal when there is no signature in any of the ways, and for handshake tokens: see `isHandshakeToken` */
export const readSignatures = (ways: readonly Way[], { signature, pieces }: SignedContent): IsSignedWith => {
  const signatures = ways.map(({ algorithm, prefix = '' }) =>
    algorithm === 'equal' ? splitToken(signature, prefix) : splitList(signature, prefix),
  );
  const count = signatures.flat().length;
  if (count === 0) throw new Refusal('no signature of this scheme');
  if (count > MAX_SIGNATURES) throw new Refusal('too many signatures in the request');
  if (ways.some(isShared) && isHandshakeToken(pieces)) throw new Refusal('the content is a handshake token');
  return (secret) => {
    const at = findWay(ways, secret);
    const way = ways[at];
    return way !== undefined && isSignedBy(way, signatures[at] ?? [], pieces, secret);
  };
};

const findWay = (ways: readonly Way[], secret: string): number => {
  const found = ways.findIndex(
    ({ secretPrefix }) => secretPrefix !== undefined && secret.startsWith(secretPrefix),
  );
  return found < 0 ? ways.length - 1 : found;
};

/** Checks that a secret can be used to sign. @throws Error when it can't; the message does not contain the secret */
export const checkSecret = (ways: readonly Way[], secret: string): void => {
  const way = ways[findWay(ways, secret)];
  if (way === undefined) return;
  if (way.algorithm === 'equal') toSharedKey(secret);
  else isSignedBy(way, [], [], secret);
};

/** Returns the token after a prefix, whole: it may contain the characters that separate signatures. */
const splitToken = (text: string, prefix: string): string[] =>
  text.startsWith(prefix) ? [text.slice(prefix.length)] : [];

const isShared = ({ algorithm }: Way): boolean => /^sha\d+$/.test(algorithm);

/** Whether one of the signatures is right. In constant time except for their number and lengths, which the sender knows. */
const isSignedBy = (way: Way, signatures: readonly string[], pieces: Pieces, secret: string): boolean => {
  const { algorithm, encoding, secretPrefix = '', secretEncoding } = way;
  if (algorithm === 'equal') return signatures.some((given) => isEqual(given, secret));
  const bare = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  if (!isShared(way)) return isOfKey(algorithm, encoding, signatures, pieces, toPublicKey(bare));
  const hmac = createHmac(algorithm, toSharedKey(bare, secretEncoding));
  for (const piece of pieces) hmac.update(piece);
  const expected = hmac.digest(encoding);
  return signatures.some((given) => isEqual(encoding === 'hex' ? given.toLowerCase() : given, expected));
};

const KEYS: Readonly<Partial<Record<Algorithm, readonly [keyType: string, hash: string | null]>>> = {
  ed25519: ['ed25519', null],
  'ecdsa-sha256': ['ec', 'sha256'],
  'rsa-sha1': ['rsa', 'sha1'],
  'rsa-sha256': ['rsa', 'sha256'],
};

/** @throws Error for a key of a different algorithm */
export const isOfKey = (
  algorithm: Algorithm,
  encoding: Way['encoding'],
  signatures: readonly string[],
  pieces: Pieces,
  key: KeyObject,
): boolean => {
  const [keyType, hash] = KEYS[algorithm] ?? [];
  if (hash === undefined || key.asymmetricKeyType !== keyType)
    throw new Error(`a key of type ${key.asymmetricKeyType} can't be used with ${algorithm}`);
  const data = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  return signatures.some((signature) => {
    const bytes = Buffer.from(signature, encoding);
    // Node's decoder skips invalid characters: this accepts only one form of each signature.
    const isCanonical =
      bytes.toString(encoding) === (encoding === 'hex' ? signature.toLowerCase() : signature);
    return isCanonical && verify(hash, data, key, bytes);
  });
};

/**
 * The same problem for every reason. The status is 403, since 401 requests HTTP authentication (RFC 9110 §11) and a
 * signature is not that; 401 only for tokens, and for senders that check for it.
 *
 * @param challenge - value of `WWW-Authenticate`, for 401
 */
export const refuseSignature = (reason: string, challenge?: string): AppError => {
  const cause = new Refusal(`signature: ${reason}`);
  if (challenge === undefined) return new AppError(SIGNATURE_INVALID, {}, cause);
  return new AppError(asUnauthorized, { challenge }, cause);
};

const asUnauthorized: typeof SIGNATURE_INVALID = (p) => ({ ...SIGNATURE_INVALID(p), status: 401 });
