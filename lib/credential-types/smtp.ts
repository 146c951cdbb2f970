import type { CredentialType } from '../contract/credential-type.ts';

/** Lends its fields to a node that sends mail. */
export const smtp: CredentialType = {
  id: 'smtp',
  name: 'Mail server',
  description: 'Lends the address and the login of a mail server (SMTP) to a node',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['host', 'username', 'password'],
    properties: {
      host: { type: 'string', minLength: 1, description: 'Host of the server' },
      port: { type: 'string', pattern: '^[0-9]{1,5}$', default: '587', description: 'Port of the server' },
      security: {
        type: 'string',
        enum: ['starttls', 'tls', 'none'],
        default: 'starttls',
        description: 'How the connection is encrypted',
      },
      username: { type: 'string', minLength: 1, description: 'User name' },
      password: { type: 'string', minLength: 1, description: 'Password' },
    },
  },
  secretFields: ['password'],
};
