import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import type { JsonObject } from '../../../contract/json.ts';
import { wrongParameter } from '../../../contract/kit/read-parameters.ts';

type SignatureAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA';

interface CryptoOptions {
  readonly operation: 'hash' | 'hmac' | 'verifyHmac' | 'sign' | 'verify' | 'uuid' | 'random';
  readonly data?: string;
  readonly dataEncoding: 'utf8' | 'hex' | 'base64';
  /** A hash function. */
  readonly algorithm: string;
  readonly key?: string;
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly signature?: string;
  readonly encoding: 'hex' | 'base64' | 'base64url';
  readonly bytes: number;
}

/** @throws TypeError or RangeError with the parameter that is missing, or is no key of the algorithm */
export const computeCrypto = (options: CryptoOptions): JsonObject => {
  const { encoding, algorithm } = options;
  switch (options.operation) {
    case 'uuid':
      return { value: randomUUID() };
    case 'random':
      return { value: randomBytes(options.bytes).toString(encoding) };
    case 'hash':
      return { value: createHash(algorithm).update(readData(options)).digest(encoding) };
    case 'hmac':
      return { value: computeHmac(options).toString(encoding) };
    case 'verifyHmac':
      return { valid: isEqual(computeHmac(options), readSignature(options)) };
    case 'sign':
      return { value: signData(options).toString(encoding) };
    case 'verify':
      return { valid: verifyData(options) };
  }
};

const required = (value: string | undefined, name: 'data' | 'key' | 'signature'): string => {
  if (value === undefined) throw wrongParameter(name, 'a string', value);
  return value;
};

/** Bytes of the text; `Buffer` would end at the first character that the encoding does not have. */
const readData = ({ data, dataEncoding }: CryptoOptions): Buffer => {
  const text = required(data, 'data');
  const bytes = Buffer.from(text, dataEncoding);
  if (dataEncoding !== 'utf8' && normalise(bytes.toString(dataEncoding)) !== normalise(text))
    throw new RangeError(`Parameter "data" must be ${dataEncoding}`);
  return bytes;
};

/** Without the padding of base64, and hexadecimal digits in lower case when there is nothing else. */
const normalise = (text: string): string =>
  /^[\da-fA-F]*$/.test(text) ? text.toLowerCase() : text.replace(/={1,2}$/, '');

const readSignature = ({ signature, encoding }: CryptoOptions): Buffer =>
  Buffer.from(required(signature, 'signature'), encoding);

const computeHmac = (options: CryptoOptions): Buffer =>
  createHmac(options.algorithm, required(options.key, 'key')).update(readData(options)).digest();

/** Takes the same time wherever they differ. */
const isEqual = (left: Buffer, right: Buffer): boolean =>
  left.byteLength === right.byteLength && timingSafeEqual(left, right);

const signData = (options: CryptoOptions): Buffer => {
  const { signatureAlgorithm } = options;
  const key = readKey(options, createPrivateKey);
  return sign(toDigest(signatureAlgorithm), readData(options), withPadding(signatureAlgorithm, key));
};

const verifyData = (options: CryptoOptions): boolean => {
  const { signatureAlgorithm } = options;
  const key = withPadding(signatureAlgorithm, readKey(options, createPublicKey));
  return verify(toDigest(signatureAlgorithm), readData(options), key, readSignature(options));
};

const keyTypes: Readonly<Record<SignatureAlgorithm, readonly string[]>> = {
  RS256: ['rsa'],
  PS256: ['rsa', 'rsa-pss'],
  ES256: ['ec'],
  EdDSA: ['ed25519', 'ed448'],
};

const readKey = (
  { key, signatureAlgorithm }: CryptoOptions,
  create: (pem: string) => KeyObject,
): KeyObject => {
  const pem = required(key, 'key');
  const object = tryCreate(create, pem);
  const { asymmetricKeyType = '' } = object ?? {};
  if (object === null || !keyTypes[signatureAlgorithm].includes(asymmetricKeyType))
    throw new RangeError(`Parameter "key" must be a key for ${signatureAlgorithm}, as PEM`);
  return object;
};

/** Without the error of OpenSSL, which may show parts of the key. */
const tryCreate = (create: (pem: string) => KeyObject, pem: string): KeyObject | null => {
  try {
    return create(pem);
  } catch {
    return null;
  }
};

const toDigest = (algorithm: SignatureAlgorithm): string | null => (algorithm === 'EdDSA' ? null : 'sha256');

const withPadding = (algorithm: SignatureAlgorithm, key: KeyObject) => ({
  key,
  dsaEncoding: 'ieee-p1363' as const,
  ...(algorithm === 'PS256'
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {}),
});
