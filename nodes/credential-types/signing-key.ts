import type { CredentialType } from '@hookloom/plugin-kit';
import { textSchema } from './text-schema.ts';

/** Lends a key to a node that signs, such as `crypto`. */
export const signingKey: CredentialType = {
  id: 'signingKey',
  name: 'Signing key',
  description: 'Lends a key to a node that signs or verifies: one that is shared (HMAC), or a private key',
  schema: textSchema('key', {
    key: { minLength: 1, description: 'The shared key, or a private key in PEM' },
    encoding: {
      enum: ['utf8', 'hex', 'base64'],
      default: 'utf8',
      description: 'How a shared key stands for bytes',
    },
    passphrase: { description: 'Of an encrypted private key' },
  }),
  secretFields: ['key', 'passphrase'],
};
