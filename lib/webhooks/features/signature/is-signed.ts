import { createHmac, type KeyObject, verify } from 'node:crypto';
import { toPublicKey, toSharedKey } from '../../../credentials/signing-keys.ts';
import { Refusal } from '../../../shared/refusal.ts';
import type { Algorithm, Way } from '../../../workflows/webhook-rules/signature/schemes.ts';
import { isHandshakeToken } from '../sender/handshake-token.ts';
import { isEqual } from '../sender/is-equal.ts';
import { type SignedContent, splitList } from './read-request.ts';

type Pieces = SignedContent['pieces'];

/** A sender signs with two secrets at most while it replaces one. */
const MAX_SIGNATURES = 10;

/** Whether the content is signed with a secret. @throws Error when nothing can be signed with it */
type IsSignedWith = (secret: string) => boolean;

/** @throws Refusal when there is no signature of any of the ways, and for what a handshake signs: see `isHandshakeToken` */
export const readSignatures = (ways: readonly Way[], { signature, pieces }: SignedContent): IsSignedWith => {
  const signatures = ways.map(({ algorithm, prefix = '' }) =>
    algorithm === 'equal' ? splitToken(signature, prefix) : splitList(signature, prefix),
  );
  const count = signatures.flat().length;
  if (count === 0) throw new Refusal('there is no signature of this scheme');
  if (count > MAX_SIGNATURES) throw new Refusal('there are too many signatures');
  if (ways.some(isShared) && isHandshakeToken(pieces))
    throw new Refusal('the content is a token of a handshake');
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

/** Checks that something can be signed with a secret. @throws Error when nothing can, without the secret in its message */
export const checkSecret = (ways: readonly Way[], secret: string): void => {
  const way = ways[findWay(ways, secret)];
  if (way === undefined) return;
  if (way.algorithm === 'equal') toSharedKey(secret);
  else isSignedBy(way, ['AA'], [], secret);
};

/** A token may have the characters that separate signatures. */
const splitToken = (text: string, prefix: string): string[] =>
  text.startsWith(prefix) ? [text.slice(prefix.length)] : [];

const isShared = ({ algorithm }: Way): boolean => /^sha\d+$/.test(algorithm);

/** Whether one of the signatures is right. In constant time but for their number and lengths, which the sender knows. */
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

/** @throws Error for a key of another algorithm */
export const isOfKey = (
  algorithm: Algorithm,
  encoding: Way['encoding'],
  signatures: readonly string[],
  pieces: Pieces,
  key: KeyObject,
): boolean => {
  const [keyType, hash] = KEYS[algorithm] ?? [];
  if (hash === undefined || key.asymmetricKeyType !== keyType)
    throw new Error(`the key is of the type ${key.asymmetricKeyType}, and ${algorithm} needs another`);
  const data = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  return signatures.some((signature) => {
    const bytes = Buffer.from(signature, encoding);
    // Node's decoder skips what is not of the encoding: one signature has one form.
    const isCanonical =
      bytes.toString(encoding) === (encoding === 'hex' ? signature.toLowerCase() : signature);
    return isCanonical && verify(hash, data, key, bytes);
  });
};
