import { defineAction, type JsonObject, type ParameterProblem, Type, when } from '@hookloom/plugin-kit';

/** The first two are broken, and are there for systems that ask for them. */
const digests = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'] as const;

/** The operations that need a key. */
const WITH_KEY: ReadonlySet<unknown> = new Set(['hmac', 'verifyHmac', 'sign', 'verify']);

export const crypto = defineAction({
  id: 'crypto',
  name: 'Crypto',
  description:
    'Hashes, signs and verifies text, and draws random values. Puts out { value }, or { valid } for verify and verifyHmac. Not pure: what is drawn is kept in the execution, so that a replay has the same',
  credentials: {
    types: ['signingKey'],
    required: ({ operation, key }) => key === undefined && WITH_KEY.has(operation),
  },
  checkParameters: (stored) => findSecretKey(stored),
  parameters: Type.Object(
    {
      operation: Type.Enum(['hash', 'hmac', 'verifyHmac', 'sign', 'verify', 'uuid', 'random'], {
        description:
          'hash; hmac and verifyHmac, with a shared key; sign and verify, with a private and a public key; uuid: version 4; random: bytes. Shared and private keys are those of a credential',
      }),
      data: Type.Optional(Type.String({ maxLength: 20_000_000, description: 'The text' })),
      dataEncoding: Type.Enum(['utf8', 'hex', 'base64'], {
        default: 'utf8',
        description: 'How the text stands for bytes',
      }),
      algorithm: Type.Enum(digests, {
        default: 'sha256',
        description: 'The hash of hash, hmac and verifyHmac',
      }),
      key: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 20_000,
          description:
            'The public key for verify, as PEM. Any other key is a secret, which is refused here as a text; an expression may compute one, such as a key that is derived',
        }),
      ),
      signatureAlgorithm: Type.Enum(['RS256', 'PS256', 'ES256', 'EdDSA'], {
        default: 'RS256',
        description: 'Of sign and verify, as in JSON Web Signatures (RFC 7518, RFC 8037)',
      }),
      signature: Type.Optional(
        Type.String({
          maxLength: 20_000,
          description: 'What verify and verifyHmac compare with, in the encoding',
        }),
      ),
      encoding: Type.Enum(['hex', 'base64', 'base64url'], {
        default: 'hex',
        description: 'Of the value that is put out, and of the signature',
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
  ),
  example: {
    parameters: { operation: 'hash', data: '{{ body }}' },
    input: { body: 'tea' },
    output: { value: 'a9f74d1ec36ebdeb2da3f6e5868090cd2a2d20b3dcca7b62f60304b1d3d9ef42' },
  },
  execute: async ({ parameters, credential }) => {
    const { computeCrypto } = await import('./work/compute-crypto.chunk.ts');
    return computeCrypto(parameters, credential);
  },
});

/** A key that stands in the workflow is in its file, and in each archived version of it. */
const findSecretKey = ({ operation, key }: JsonObject): readonly ParameterProblem[] => {
  const isText = typeof key === 'string' && !key.includes('{{');
  if (!isText || (operation === 'verify' && !key.includes('PRIVATE KEY'))) return [];
  const hint = 'create a credential of the type signingKey, and name it in credentialId';
  return [{ path: '/key', message: `is a secret, and would stand in the workflow file: ${hint}` }];
};
