import type { CredentialType } from '../contract/credential-type.ts';
import { textSchema } from './text-schema.ts';

// Types that lend the address and the login of a server to a node.

const port = (initial: string) => ({ pattern: '^[0-9]{1,5}$', default: initial, description: 'Port' });

const login = {
  username: { minLength: 1, description: 'User name' },
  password: { minLength: 1, description: 'Password' },
};

const host = { minLength: 1, description: 'Host' };

export const smtp: CredentialType = {
  id: 'smtp',
  name: 'Mail server',
  description: 'Lends the address and the login of a mail server (SMTP) to a node',
  schema: textSchema('host username password', {
    host,
    port: port('587'),
    security: { enum: ['starttls', 'tls', 'none'], default: 'starttls', description: 'Encryption' },
    ...login,
  }),
  secretFields: ['password'],
};

export const postgres: CredentialType = {
  id: 'postgres',
  name: 'PostgreSQL',
  description: 'Lends the address and the login of a PostgreSQL database to a node',
  schema: textSchema('host database username password', {
    host,
    port: port('5432'),
    database: { minLength: 1, description: 'Database' },
    sslmode: {
      enum: ['disable', 'require', 'verify-full'],
      default: 'verify-full',
      description: 'Encryption, as in a connection string',
    },
    ...login,
  }),
  secretFields: ['password'],
};
