import type { CredentialType } from '@hookloom/plugin-kit';
import { textSchema } from './text-schema.ts';

/** Lends secrets to what signs or verifies. Two are live during a rotation, since senders change theirs at a time of their own. */
export const signingSecret: CredentialType = {
  id: 'signingSecret',
  name: 'Signing secret',
  description: 'Lends a secret, a key or a token to what signs data or verifies signatures',
  schema: textSchema('secret', {
    secret: { minLength: 1, description: 'The secret as its sender shows it, or a key in PEM' },
    previous: {
      readOnly: true,
      previousOf: 'secret',
      description: 'The secret before the last rotation, still accepted',
    },
  }),
  secretFields: ['secret', 'previous'],
};
