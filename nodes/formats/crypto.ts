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
import {
  closed,
  defineAction,
  type JsonObject,
  type LentCredential,
  type ParameterProblem,
  Type,
  type ValueOf,
  when,
  wrongParameter,
} from '@hookloom/plugin-kit';
import * as Given from '@hookloom/plugin-kit/given';

/**
 * The supported hash functions. The first two are cryptographically broken and offered only for systems that require
 * them.
 */
const digests = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'] as const;

/** Names of the operations that need a key. */
const WITH_KEY: ReadonlySet<unknown> = new Set(['hmac', 'verifyHmac', 'sign', 'verify']);

const parameters = Type.Object(
  {
    operation: Type.Enum(['hash', 'hmac', 'verifyHmac', 'sign', 'verify', 'uuid', 'random'], {
      description:
        'hash; hmac and verifyHmac, with a shared key; sign and verify, with a private and a public key; uuid: version 4; random: bytes. Shared and private keys are those of a credential',
    }),
    data: Type.Optional(Type.String({ maxLength: 20_000_000, description: 'The text' })),
    dataEncoding: Type.Enum(['utf8', 'hex', 'base64'], {
      default: 'utf8',
      description: 'The encoding of the text',
    }),
    algorithm: Type.Enum(digests, {
      default: 'sha256',
      description: 'The hash function of hash, hmac and verifyHmac',
    }),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 20_000,
        description:
          'The public key for verify, as PEM. Any other key is a secret and is refused as literal text; an expression may compute one, such as a derived key',
      }),
    ),
    signatureAlgorithm: Type.Enum(['RS256', 'PS256', 'ES256', 'EdDSA'], {
      default: 'RS256',
      description: 'The algorithm of sign and verify, named as in JSON Web Signatures (RFC 7518, RFC 8037)',
    }),
    signature: Type.Optional(
      Type.String({
        maxLength: 20_000,
        description: 'The signature to verify, in the encoding',
      }),
    ),
    encoding: Type.Enum(['hex', 'base64', 'base64url'], {
      default: 'hex',
      description: 'The encoding of the output value and of the signature',
    }),
    bytes: Type.Integer({ default: 32, minimum: 1, maximum: 1_024, description: 'How many random bytes' }),
  },
  {
    allOf: [
      ...['hash', 'hmac', 'sign'].map((operation) => when('operation', operation, { required: ['data'] })),
      ...['verifyHmac', 'verify'].map((operation) =>
        when('operation', operation, { required: ['data', 'signature'] }),
      ),
    ],
  },
);

export const crypto = defineAction({
  id: 'crypto',
  name: 'Crypto',
  description:
    'Hashes, signs and verifies text, and generates random values. Outputs { value }, or { valid } for verify and verifyHmac. Not pure: random values are kept in the execution, so that a replay has the same ones',
  outputs: {
    main: Given.by(
      'operation',
      {
        ...Object.fromEntries(
          ['hash', 'hmac', 'sign', 'uuid', 'random'].map((operation) => [
            operation,
            closed({ value: Type.String() }),
          ]),
        ),
        ...Object.fromEntries(
          ['verify', 'verifyHmac'].map((operation) => [operation, closed({ valid: Type.Boolean() })]),
        ),
      },
      '',
    ),
  },
  credentials: {
    types: ['signingKey'],
    required: ({ operation, key }) => key === undefined && WITH_KEY.has(operation),
  },
  checkParameters: (stored) => findSecretKey(stored),
  parameters,
  example: {
    parameters: { operation: 'hash', data: '{{ body }}' },
    input: { body: 'tea' },
    output: { value: 'a9f74d1ec36ebdeb2da3f6e5868090cd2a2d20b3dcca7b62f60304b1d3d9ef42' },
  },
  execute: async ({ parameters, credential }) => computeCrypto(parameters, credential),
});

/** Finds a secret key written in the workflow, which would be in its file and in all its archived versions. */
const findSecretKey = ({ operation, key }: JsonObject): readonly ParameterProblem[] => {
  const isText = typeof key === 'string' && !key.includes('{{');
  if (!isText || (operation === 'verify' && !key.includes('PRIVATE KEY'))) return [];
  const hint = 'create a credential of the type signingKey, and name it in credentialId';
  return [{ path: '/key', message: `is a secret, and must not be in the workflow file: ${hint}` }];
};

type CryptoOptions = ValueOf<typeof parameters>;

type SignatureAlgorithm = CryptoOptions['signatureAlgorithm'];

/** A key and where it comes from, since messages must not contain its value. */
interface Key {
  readonly text: string;
  /** The encoding of a shared key. */
  readonly encoding: BufferEncoding;
  /** The passphrase of an encrypted private key. */
  readonly passphrase: string;
  readonly place: string;
}

/**
 * @param credential - of the type `signingKey`, in place of the parameter `key`
 * @throws TypeError or RangeError with the parameter that is missing, or is not a key for the algorithm
 */
const computeCrypto = (options: CryptoOptions, credential: LentCredential | null): JsonObject => {
  const { encoding, algorithm } = options;
  const key = () => findKey(options, credential);
  switch (options.operation) {
    case 'uuid':
      return { value: randomUUID() };
    case 'random':
      return { value: randomBytes(options.bytes).toString(encoding) };
    case 'hash':
      return { value: createHash(algorithm).update(readData(options)).digest(encoding) };
    case 'hmac':
      return { value: computeHmac(options, key()).toString(encoding) };
    case 'verifyHmac':
      return { valid: isEqual(computeHmac(options, key()), readSignature(options)) };
    case 'sign':
      return { value: signData(options, key()).toString(encoding) };
    case 'verify':
      return { valid: verifyData(options, key()) };
  }
};

const findKey = ({ key, operation }: CryptoOptions, credential: LentCredential | null): Key => {
  if (credential !== null && key !== undefined)
    throw new TypeError(`Parameter "key" must be absent: the credential "${credential.id}" has the key`);
  if (credential !== null)
    return {
      text: credential.field('key'),
      encoding: (credential.field('encoding') || 'utf8') as BufferEncoding,
      passphrase: credential.field('passphrase'),
      place: `The key of the credential "${credential.id}"`,
    };
  if (key === undefined)
    throw new TypeError(`The operation ${operation} needs a key: name a credential in credentialId`);
  return { text: key, encoding: 'utf8', passphrase: '', place: 'Parameter "key"' };
};

const required = (value: string | undefined, name: 'data' | 'signature'): string => {
  if (value === undefined) throw wrongParameter(name, 'a string', value);
  return value;
};

const readData = ({ data, dataEncoding }: CryptoOptions): Buffer =>
  toBytes(required(data, 'data'), dataEncoding, 'Parameter "data"');

/** Decodes a text to bytes; `Buffer` would stop at the first character that the encoding does not allow. */
const toBytes = (text: string, encoding: BufferEncoding, place: string): Buffer => {
  const bytes = Buffer.from(text, encoding);
  if (encoding !== 'utf8' && normaliseDigest(bytes.toString(encoding)) !== normaliseDigest(text))
    throw new RangeError(`${place} must be ${encoding}`);
  return bytes;
};

/** Removes the padding of base64, and lower-cases hexadecimal digits. */
const normaliseDigest = (text: string): string =>
  /^[\da-fA-F]*$/.test(text) ? text.toLowerCase() : text.replace(/={1,2}$/, '');

const readSignature = ({ signature, encoding }: CryptoOptions): Buffer =>
  Buffer.from(required(signature, 'signature'), encoding);

const computeHmac = (options: CryptoOptions, { text, encoding, place }: Key): Buffer =>
  createHmac(options.algorithm, toBytes(text, encoding, place))
    .update(readData(options))
    .digest();

/** Compares in constant time, wherever the values differ. */
const isEqual = (left: Buffer, right: Buffer): boolean =>
  left.byteLength === right.byteLength && timingSafeEqual(left, right);

const signData = (options: CryptoOptions, key: Key): Buffer => {
  const { signatureAlgorithm } = options;
  const object = readKey(options, key, createPrivateKey);
  return sign(toDigest(signatureAlgorithm), readData(options), withPadding(signatureAlgorithm, object));
};

const verifyData = (options: CryptoOptions, key: Key): boolean => {
  const { signatureAlgorithm } = options;
  const object = withPadding(signatureAlgorithm, readKey(options, key, createPublicKey));
  return verify(toDigest(signatureAlgorithm), readData(options), object, readSignature(options));
};

const keyTypes: Readonly<Record<SignatureAlgorithm, readonly string[]>> = {
  RS256: ['rsa'],
  PS256: ['rsa', 'rsa-pss'],
  ES256: ['ec'],
  EdDSA: ['ed25519', 'ed448'],
};

const readKey = (
  { signatureAlgorithm }: CryptoOptions,
  { text, passphrase, place }: Key,
  create: (pem: PemKey) => KeyObject,
): KeyObject => {
  const expected = `${place} must be a key for ${signatureAlgorithm}, as PEM`;
  try {
    const object = create({ key: text, format: 'pem', passphrase });
    const { asymmetricKeyType = '' } = object;
    if (keyTypes[signatureAlgorithm].includes(asymmetricKeyType)) return object;
  } catch (error) {
    // Only the code, since OpenSSL's message may contain parts of the key.
    throw new RangeError(`${expected} (${(error as NodeJS.ErrnoException).code ?? 'it cannot be read'})`);
  }
  throw new RangeError(expected);
};

interface PemKey {
  readonly key: string;
  readonly format: 'pem';
  readonly passphrase: string;
}

const toDigest = (algorithm: SignatureAlgorithm): string | null => (algorithm === 'EdDSA' ? null : 'sha256');

const withPadding = (algorithm: SignatureAlgorithm, key: KeyObject) => ({
  key,
  dsaEncoding: 'ieee-p1363' as const,
  ...(algorithm === 'PS256'
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {}),
});
