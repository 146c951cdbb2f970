import type { CredentialType } from '../contract/credential-type.ts';

/** Lends its fields to a node that talks to the database. */
export const postgres: CredentialType = {
  id: 'postgres',
  name: 'PostgreSQL',
  description: 'Lends the address and the login of a PostgreSQL database to a node',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['host', 'database', 'username', 'password'],
    properties: {
      host: { type: 'string', minLength: 1, description: 'Host of the server' },
      port: { type: 'string', pattern: '^[0-9]{1,5}$', default: '5432', description: 'Port of the server' },
      database: { type: 'string', minLength: 1, description: 'Name of the database' },
      username: { type: 'string', minLength: 1, description: 'User name' },
      password: { type: 'string', minLength: 1, description: 'Password' },
      sslmode: {
        type: 'string',
        enum: ['disable', 'require', 'verify-full'],
        default: 'verify-full',
        description: 'As in a connection string of libpq',
      },
    },
  },
  secretFields: ['password'],
};
